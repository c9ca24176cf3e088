"""What a batch of events becomes, row by row."""

import gc
import json
import weakref
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointV2
from eventlog.events import EventColumns, NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.secret_policy import SecretPolicy
from eventlog.state_markers import KafkaStateCheckpointMarker
from eventlog.streams import StreamKind
from eventlog.timestamps import storable_micros
from eventlog.wire.checkpoint_topic import encode_v2
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


KAFKA: Final = KafkaStateCheckpointMarker(SystemStreamPartition("k", "c", 0), "%d").serialise()
MORE: Final = (KAFKA % 3).replace("{", '{"password":"hunter2",', 1)


@pytest.mark.parametrize("plain", ["blob-%d", KAFKA])
@pytest.mark.parametrize("secret", ["password=hunter2", "https://u:hunter2@store/blob", MORE])
def test_a_secret_in_a_later_marker_is_masked(plain: str, secret: str) -> None:
    """Those of other backends than Kafka's are any text; a pattern makes no secret of what Kafka's always have."""
    key = b'{"systemstreampartition-grouper-factory":"g","taskName":"t","type":"checkpoint-v2"}'
    log, markers = LogFold(1, "checkpoint", SecretPolicy(b"key", ("password", "key"))), [plain % 1, secret, plain % 3]
    values = [encode_v2(CheckpointV2(None, {}, {"factory": {"store": marker}})) for marker in markers]
    fold, rows = BatchFold(log, ARCHIVED_AT), list[CheckpointRow]()
    fold.add(EventColumns.of(recorded([NewEvent(key, each) for each in values])))
    fold.decode(rows.extend)
    layouts = {number: layout[0] for number, layout in log.layouts.new}
    stored = [(layouts[row.layout_id or 0], (row.offsets or b"").decode()) for row in sorted(rows)]
    shown = [f"{entry.marker_prefix}{offset}{entry.marker_suffix}" for entry, offset in stored]
    assert shown == [markers[0], log.secrets.fingerprint(secret), markers[2]]


@pytest.mark.parametrize("source", ["postgresql://u:hunter2@h/d", "jdbc:x?password=hunter2"])
def test_a_secret_in_the_source_is_masked(source: str) -> None:
    envelope = folded(checkpoint("1", source)).checkpoints.envelopes[0]
    assert envelope.source == SECRETS.fingerprint(source)


def test_a_config_message_in_a_checkpoint_topic_is_one_of_an_unknown_type() -> None:
    """That type belongs to the coordinator stream."""
    config = config_set("a", "1")
    key = b'{"systemstreampartition-grouper-factory":"g","taskName":"t","type":"set-config"}'
    (row,) = folded(raw(key, config.value), kind="checkpoint").messages
    body = json.loads((row.body or b"").removeprefix(JSONB_VERSION))
    assert body == {"message_value": (config.value or b"").decode()}
    assert (row.source, row.message_time) == (None, None)
