"""Each checkpoint of a task, beside the newest one of the other version before it."""

import json
from typing import Final

from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.timestamps import storable_micros
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, KEY_TYPE_V2
from projections.fold.batch import BatchFold, LogFold
from projections.fold.other_version import NONE, UNHELD
from projections.fold.rows import Swept

SECRETS: Final = SecretPolicy(b"key")
FIRST_MS: Final = 1_700_000_000_000
NOT_HELD_MS: Final = 2**62


def key(kind: str, grouper: str = "g") -> bytes:
    fields = {"systemstreampartition-grouper-factory": grouper, "taskName": "t", "type": kind}
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
    fold.add(events)
    fold.sweep(swept)
    return {(row.log_offset, row.key_id): row.other_version_time or 0 for row in fold.checkpoint_rows()}


def time(ms: int) -> int:
    return storable_micros(ms) or 0


def test_pairs_see_the_other_version_of_before() -> None:
    found = other_times(log(), v1(0, FIRST_MS), v2(1, FIRST_MS + 1), v1(2, FIRST_MS + 9), v2(3, FIRST_MS + 10))
    expected = [NONE, time(FIRST_MS), time(FIRST_MS + 1), time(FIRST_MS + 9)]
    assert list(found.values()) == expected


def test_times_are_remembered_from_batch_to_batch() -> None:
    of = log()
    other_times(of, v1(0, FIRST_MS), v2(1, FIRST_MS + 1))
    assert list(other_times(of, v1(2, FIRST_MS + 2)).values()) == [time(FIRST_MS + 1)]
    assert list(other_times(of, v2(3, FIRST_MS + 3)).values()) == [time(FIRST_MS + 2)]


def test_a_delete_is_as_none_and_a_time_that_is_not_held_is_as_endless() -> None:
    events = (v1(0, FIRST_MS), v1(1, FIRST_MS, None), v2(2, FIRST_MS), v1(3, NOT_HELD_MS), v2(4, FIRST_MS))
    assert [time for (offset, _), time in other_times(log(), *events).items() if offset in (2, 4)] == [NONE, UNHELD]


def test_a_value_that_can_not_be_read_is_passed_over() -> None:
    found = other_times(log(), v1(0, FIRST_MS), v1(1, FIRST_MS + 1, b"garbage"), v2(2, FIRST_MS + 2))
    assert list(found.values()) == [NONE, time(FIRST_MS)]


def test_keys_that_are_gone_at_one_offset_do_not_stand_before_each_other() -> None:
    events = v1(0, FIRST_MS), v2(1, FIRST_MS + 1)
    swept = (Swept(1, key(KEY_TYPE_V1)), Swept(7, key(KEY_TYPE_V2)), Swept(7, key(KEY_TYPE_V1)))
    found = other_times(log(), *events, swept=swept)
    assert found == {
        (0, 1): NONE,
        (1, 2): time(FIRST_MS),
        (1, 1): NONE,  # version 2 stands at the same offset
        (7, 2): NONE,  # version 1 is gone since
        (7, 1): time(FIRST_MS + 1),
    }


def test_another_grouper_is_another_task() -> None:
    of_another = v2(1, FIRST_MS + 1)._replace(key=key(KEY_TYPE_V2, "another"))
    assert list(other_times(log(), v1(0, FIRST_MS), of_another).values()) == [NONE, NONE]
