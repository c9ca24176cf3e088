"""Whether the fold would put an event into quarantine."""

import pytest

from eventlog.events import NewEvent
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from projections.fold.batch import can_be_read
from projections.fold.settings import FoldSettings
from tests.builders import changelog_set, checkpoint_v1, checkpoint_v2, config_set, raw, recorded, tombstone

SETTINGS = FoldSettings(SecretPolicy(b"key"))


@pytest.mark.parametrize(
    ("kind", "event", "understood"),
    [
        ("coordinator", config_set(), True),
        ("coordinator", changelog_set(), True),
        ("coordinator", raw(b'[1,"of-a-later-samza","k"]', b"any"), True),
        ("coordinator", raw(config_set().key, b"no json"), False),
        ("coordinator", raw(b"no key", b"{}"), False),
        ("coordinator", raw(None, b"{}"), False),
        ("coordinator", tombstone(config_set()), True),
        ("checkpoint", checkpoint_v1(), True),
        ("checkpoint", checkpoint_v2(), True),
        ("checkpoint", raw(checkpoint_v2().key, b"no json"), False),
    ],
)
def test_what_the_fold_reads_can_be_read(kind: StreamKind, event: NewEvent, understood: bool) -> None:
    assert can_be_read(recorded([event])[0], kind, SETTINGS) is understood
