"""What a batch of events becomes, row by row."""

import gc
import json
import weakref

import pytest

from eventlog.events import EventColumns, NewEvent
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.timestamps import storable_micros
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.message_bodies import JSONB_VERSION
from projections.fold.rows import CheckpointRow
from tests.builders import FIRST_TIME, config_deleted, config_set, raw, recorded

SECRETS = SecretPolicy(b"key")
ARCHIVED_AT = storable_micros(FIRST_TIME) or 0


def folded(*events: NewEvent, kind: StreamKind = "coordinator") -> BatchFold:
    fold = BatchFold(LogFold(1, kind, SECRETS), ARCHIVED_AT)
    fold.add(EventColumns.of(recorded(events)))
    fold.decode(lambda _: None)
    return fold


def checkpoint(offset: str | None, source: str = "container-0") -> NewEvent:
    text = "null" if offset is None else f'"{offset}"'
    value = f'{{"host":"h","source":"{source}","values":{{"k.in.0":{text}}},"username":"u","timestamp":{FIRST_TIME}}}'
    return NewEvent(b'[1,"set-checkpoint","t"]', value.encode())


def test_a_log_is_freed_without_the_garbage_collector() -> None:
    """`no_collections` exempts what a fold leaves from collection, so a cycle would stay in memory."""
    gc.disable()
    try:
        fold = folded(checkpoint("1"), config_set("a", "1"), config_deleted("b"))
        log = weakref.ref(fold.log)
        del fold
        assert log() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("secret", ["password=hunter2", "https://u:hunter2@store/blob"])
def test_a_secret_in_a_later_marker_of_another_backend_is_masked(secret: str) -> None:
    key = b'{"systemstreampartition-grouper-factory":"g","taskName":"t","type":"checkpoint-v2"}'
    value = '{"checkpoint-id":"1-2","input-offsets":{},"state-checkpoint-markers":{"blob":{"store":"%s"}},"version":2}'
    fold = BatchFold(LogFold(1, "checkpoint", SECRETS), ARCHIVED_AT)
    values = [(value % marker).encode() for marker in ("blob-1", "blob-2", secret, "blob-3")]
    fold.add(EventColumns.of(recorded([NewEvent(key, each) for each in values])))
    rows: list[CheckpointRow] = []
    fold.decode(rows.extend)
    stored = [row.offsets and row.offsets.decode() for row in sorted(rows)]
    assert stored == ["blob-1", "blob-2", SECRETS.fingerprint(secret), "blob-3"]


@pytest.mark.parametrize("source", ["postgresql://u:hunter2@h/d", "jdbc:x?password=hunter2"])
def test_a_secret_in_the_source_is_masked(source: str) -> None:
    envelope = folded(checkpoint("1", source)).checkpoints.envelopes[0]
    assert envelope.source == SECRETS.fingerprint(source)


def test_a_config_message_in_a_checkpoint_topic_is_one_of_an_unknown_type() -> None:
    """That type belongs to the coordinator stream."""
    config = config_set("a", "1")
    key = b'{"systemstreampartition-grouper-factory":"g","taskName":"t","type":"set-config"}'
    (row,) = folded(raw(key, config.value), kind="checkpoint").messages
    assert json.loads((row.body or b"").removeprefix(JSONB_VERSION)) == {
        "message_value": (config.value or b"").decode()
    }
    assert (row.source, row.message_time) == (None, None)
