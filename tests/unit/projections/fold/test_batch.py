"""What a batch of events becomes, row by row."""

import gc
import json
import weakref

import pytest

from eventlog.events import EventColumns, NewEvent
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.timestamps import storable_micros
from projections.fold.batch import BatchFold, gaps_between
from projections.fold.log_fold import BEFORE_THE_FIRST, LogFold
from projections.fold.message_bodies import JSONB_VERSION
from projections.fold.rows import CheckpointRow, Swept
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


def test_checkpoints_keep_their_order_whichever_way_they_are_read() -> None:
    fold = folded(checkpoint("1"), checkpoint("2"), checkpoint(None), checkpoint("4", source="container-1"))
    assert [row.offsets for row in fold.checkpoints.last_rows.values()] == [b"4"]
    assert sorted((row.log_offset, row.source) for row in fold.checkpoints.envelopes) == [
        (0, "container-0"),
        (1, "container-0"),
        (2, "container-0"),
        (3, "container-1"),
    ]


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


def test_a_swept_key_is_deleted_as_by_a_tombstone() -> None:
    log = LogFold(1, "coordinator", SECRETS)
    fold = BatchFold(log, ARCHIVED_AT)
    events = (config_set("a", "1"), checkpoint("1"), raw(b'[1,"set-config","b"]', b"garbage"))
    fold.add(EventColumns.of(recorded(events)))
    fold.sweep([Swept(9, config_set("a", "").key or b""), Swept(9, b'[1,"set-checkpoint","t"]')])
    fold.sweep([Swept(9, b'[1,"set-config","b"]')])
    rows: list[CheckpointRow] = []
    fold.decode(rows.extend)
    assert [(row.log_offset, row.body is None) for row in fold.messages] == [(0, False), (9, True), (9, True)]
    assert sorted((row.log_offset, row.layout_id) for row in rows) == [(1, 1), (9, None)]
    assert {row.log_offset for row in fold.checkpoints.last_rows.values()} == {9}
    assert fold.quarantine.resolved == [(3, 9)]


@pytest.mark.parametrize(
    ("last", "offsets", "found"),
    [
        (BEFORE_THE_FIRST, (), []),
        (BEFORE_THE_FIRST, (0, 1, 2), []),
        (BEFORE_THE_FIRST, (3, 4), [(0, 2)]),
        (4, (5, 7, 8, 11), [(6, 6), (9, 10)]),
        (4, (6,), [(5, 5)]),
        (4, (5,), []),
        (0, (10**9,), [(1, 10**9 - 1)]),
    ],
)
def test_what_is_missing_between_events(last: int, offsets: tuple[int, ...], found: list[tuple[int, int]]) -> None:
    assert gaps_between(last, offsets) == found
