"""Checkpoints of a task, compared with the newest one of the other version and the previous one of their key.

A key is read once; every spelling of it has one text and a number of its own.
"""

import json
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.events import CREATE_TIME, EventColumns, RecordedEvent
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.timestamps import storable_micros
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, KEY_TYPE_V2
from projections.fold.batch import BatchFold
from projections.fold.keys import NO_TIME, NOT_STORABLE, KeyDictionary, KeyEntry
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


def commits(*offsets: tuple[str, str]) -> list[RecordedEvent]:
    value = '{"checkpoint-id":"1-1","input-offsets":{"k.a.0":"%s","k.a.1":"%s"},"state-checkpoint-markers":{}}'
    return [v2(at, FIRST_MS + at)._replace(value=(value % pair).encode()) for at, pair in enumerate(offsets)]


def lowered(of: LogFold, events: list[RecordedEvent]) -> set[int]:
    fold = BatchFold(of, storable_micros(FIRST_MS) or 0)
    fold.add(EventColumns.of(events))
    fold.decode(lambda _: None)
    return {suspect.log_offset for suspect in fold.checkpoints.suspects if suspect.may_be_lower}


def is_number(text: str) -> bool:
    return text.removeprefix("-").isdigit()


OFFSETS: Final = st.sampled_from(["0", "7", "007", "010", "8", "10", "99", "100", "-1", "-9", "x", "1" * 18])


@given(st.lists(st.tuples(OFFSETS, OFFSETS), max_size=12), st.integers(0, 12))
def test_a_lower_offset_makes_a_checkpoint_suspect(offsets: list[tuple[str, str]], cut: int) -> None:
    """In the same batch as the one before, and in the next."""
    events, of = commits(*offsets), log()
    expected = {
        at
        for at, (before, after) in enumerate(pairwise(offsets), 1)
        if any(is_number(b) and is_number(a) and int(a) < int(b) for b, a in zip(before, after, strict=True))
    }
    assert lowered(of, events[:cut]) | lowered(of, events[cut:]) == expected


def test_the_first_checkpoint_far_from_the_other_version_is_suspect() -> None:
    minutes = (1, 5, 6, 59, 90, 120)
    events = [v1(0, FIRST_MS), *(v2(at, FIRST_MS + minute * 60_000) for at, minute in enumerate(minutes, 1))]
    fold = BatchFold(log(), storable_micros(FIRST_MS) or 0)
    fold.add(EventColumns.of(events))
    fold.decode(lambda _: None)
    assert [suspect.log_offset for suspect in fold.checkpoints.suspects if suspect.may_be_unread] == [3, 4, 5]


def read(key: bytes, kind: StreamKind = "coordinator") -> KeyEntry:
    return KeyDictionary(kind, SECRETS).entry(key)


def test_a_stored_number_is_given_again_and_new_ones_follow() -> None:
    first = KeyDictionary("coordinator", SECRETS)
    first.entry(b'[1,"set-config","a"]')
    second = KeyDictionary("coordinator", SECRETS)
    for entry, key_sha256 in first.new:
        second.remember(key_sha256, entry.key_id)
    assert second.entry(b'[1,"set-config","b"]').key_id == 2
    assert second.entry(b'[1,"set-config","a"]').key_id == 1
    assert [entry.key_id for entry, _ in second.new] == [2]


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (b'[1,"set-config","a\\u0000"]', "nul"),
        (b'[1,"set-task-partition-assignment","k.s.0"]', "not_json"),
        (b'[1,"samza-startpoint-v1","nowhere"]', "bad_partition"),
    ],
)
def test_an_unreadable_key_says_why(key: bytes, reason: str) -> None:
    error = read(key).meaning.error
    assert error is not None
    assert error.reason == reason
