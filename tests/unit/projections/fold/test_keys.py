"""Checkpoints of a task, compared with the newest one of the other version; and why a key cannot be read."""

import json
from typing import Final

import pytest

from eventlog.events import CREATE_TIME, EventColumns, RecordedEvent
from eventlog.secret_policy import SecretPolicy
from eventlog.timestamps import storable_micros
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, KEY_TYPE_V2
from projections.fold.batch import BatchFold
from projections.fold.keys import NO_TIME, NOT_STORABLE, KeyDictionary
from projections.fold.log_fold import LogFold
from projections.fold.rows import CheckpointRow, Swept

SECRETS: Final = SecretPolicy(b"key")
FIRST_MS: Final = 1_700_000_000_000
NOT_HELD_MS: Final = 2**62


def key(kind: str) -> bytes:
    fields = {"systemstreampartition-grouper-factory": "g", "taskName": "t", "type": kind}
    return json.dumps(fields, separators=(",", ":")).encode()


def v1(offset: int, ms: int, value: bytes | None = b"{}") -> RecordedEvent:
    return RecordedEvent(offset, ms, CREATE_TIME, key(KEY_TYPE_V1), value)


def v2(offset: int, ms: int) -> RecordedEvent:
    value = b'{"checkpoint-id":"1-1","input-offsets":{},"state-checkpoint-markers":{},"version":2}'
    return RecordedEvent(offset, ms, CREATE_TIME, key(KEY_TYPE_V2), value)


def log() -> LogFold:
    return LogFold(1, "checkpoint", SECRETS)


def other_times(of: LogFold, *events: RecordedEvent, swept: tuple[Swept, ...] = ()) -> dict[tuple[int, int], int]:
    """By offset and key."""
    fold = BatchFold(of, storable_micros(FIRST_MS) or 0)
    fold.add(EventColumns.of(events))
    fold.sweep(swept)
    rows: list[CheckpointRow] = []
    fold.decode(rows.extend)
    return {(row.log_offset, row.key_id): row.other_version_time or 0 for row in rows}


def time(ms: int) -> int:
    return storable_micros(ms) or 0


def test_times_are_remembered_from_batch_to_batch() -> None:
    of = log()
    other_times(of, v1(0, FIRST_MS), v2(1, FIRST_MS + 1))
    assert list(other_times(of, v1(2, FIRST_MS + 2)).values()) == [time(FIRST_MS + 1)]
    assert list(other_times(of, v2(3, FIRST_MS + 3)).values()) == [time(FIRST_MS + 2)]


def test_a_delete_is_as_none_and_a_time_that_is_not_held_is_as_endless() -> None:
    events = (v1(0, FIRST_MS), v1(1, FIRST_MS, None), v2(2, FIRST_MS), v1(3, NOT_HELD_MS), v2(4, FIRST_MS))
    assert [time for (offset, _), time in other_times(log(), *events).items() if offset in (2, 4)] == [
        NO_TIME,
        NOT_STORABLE,
    ]


def test_keys_that_are_gone_at_one_offset_do_not_stand_before_each_other() -> None:
    events = v1(0, FIRST_MS), v2(1, FIRST_MS + 1)
    swept = (Swept(1, key(KEY_TYPE_V1)), Swept(7, key(KEY_TYPE_V2)), Swept(7, key(KEY_TYPE_V1)))
    found = other_times(log(), *events, swept=swept)
    assert found == {
        (0, 1): NO_TIME,
        (1, 2): time(FIRST_MS),
        (1, 1): NO_TIME,  # version 2 stands at the same offset
        (7, 2): NO_TIME,  # version 1 is gone since
        (7, 1): time(FIRST_MS + 1),
    }


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (b'[1,"set-config","a\\u0000"]', "nul"),
        (b'[1,"set-task-partition-assignment","k.s.0"]', "not_json"),
        (b'[1,"samza-startpoint-v1","nowhere"]', "bad_partition"),
        (b'[1,"samza-startpoint-v1","k%s"]' % (b".1" * 2_000), "bad_partition"),
        (rb'[1,"set-task-partition-assignment","{\"system\":\"\\u0000\",\"partition\":0,\"stream\":\"s\"}"]', "nul"),
    ],
)
def test_an_unreadable_key_says_why(key: bytes, reason: str) -> None:
    error = KeyDictionary("coordinator", SECRETS).entry(key).meaning.error
    assert error is not None
    assert error.reason == reason
