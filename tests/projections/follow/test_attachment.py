"""What is done with a stream that a follower attaches to, case by case."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from eventlog.source import StreamFacts
from eventlog.streams import identify
from projections.follow.attachment import Change, Choice, another_past, choose, may_be_the_same
from projections.tracked_logs import TrackedLog

NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
HOUR_MS: Final = 3_600_000
STREAM: Final = identify("__samza_coordinator_orders_1")
NAME: Final = STREAM.stream_name
KNOWN: Final = TrackedLog(
    log_id=7,
    stream=STREAM,
    incarnation=2,
    is_current=True,
    is_complete=True,
    next_offset=100,
    fold_version="1",
    backend="kafka",
    topic_id="a",
    end_offset=100,
    read_at=NOW - timedelta(hours=1),
)
RECORDED: Final = replace(KNOWN, backend="recording", topic_id=None)
OWN: Final = replace(KNOWN, backend="postgres", topic_id=None, read_at=None)
FACTS: Final = StreamFacts(NAME, "a", 0, 120, 24 * HOUR_MS)
OWN_FACTS: Final = StreamFacts(NAME, None, 0, 120)

SHOWN: Final = (
    "it is read from its start as incarnation 3, what was read before is shown until that is done, "
    "and stays in the history"
)
FOUND: Final = "it is read again from its start, to find keys that were deleted"
UNKNOWN: Final = f"{NAME} was last read nobody knows when: {FOUND}"
BEGINS_LATER: Final = f"{NAME} begins at offset 101 now, beyond the position 100: {FOUND}"
CUT_OFF: Final = f"{NAME} was being read again when the follower ended: {FOUND}"
LONG_AGO: Final = (
    f"{NAME} was last read at 2026-03-03 17:06:06 UTC, longer ago than its tombstones are sure to be kept: {FOUND}"
)
AT_HALF: Final = replace(KNOWN, read_at=NOW - timedelta(hours=12))
PAST_HALF: Final = replace(KNOWN, read_at=NOW - timedelta(hours=12, seconds=1))

CASES: Final[dict[str, tuple[TrackedLog, StreamFacts, int | None, Choice]]] = {
    "it goes on": (KNOWN, FACTS, None, Choice()),
    "at its end it goes on": (KNOWN, FACTS._replace(end_offset=100), None, Choice()),
    "half the retention is not too long": (AT_HALF, FACTS, None, Choice()),
    "more than half is": (PAST_HALF, FACTS, None, Choice(resync=True, sentence=LONG_AGO)),
    "but nothing was missed at the end": (PAST_HALF, FACTS._replace(end_offset=100), None, Choice()),
    "and not where tombstones stay": (PAST_HALF, FACTS._replace(delete_retention_ms=None), None, Choice()),
    "for ever is a long time": (PAST_HALF, FACTS._replace(delete_retention_ms=2**63 - 1), None, Choice()),
    "a clock that ran ahead is no absence": (replace(KNOWN, read_at=NOW + timedelta(days=9)), FACTS, None, Choice()),
    "nobody knows when it was read": (
        replace(KNOWN, read_at=None),
        FACTS,
        None,
        Choice(resync=True, sentence=UNKNOWN),
    ),
    "but there is nothing to lose at 0": (replace(KNOWN, read_at=None, next_offset=0), FACTS, None, Choice()),
    "its start passed the position": (
        KNOWN,
        FACTS._replace(start_offset=101),
        None,
        Choice(resync=True, sentence=BEGINS_LATER),
    ),
    "also one that had nothing": (
        replace(KNOWN, next_offset=0),
        FACTS._replace(start_offset=9),
        None,
        Choice(resync=True, sentence=f"{NAME} begins at offset 9 now, beyond the position 0: {FOUND}"),
    ),
    "its start is the position": (KNOWN, FACTS._replace(start_offset=100), None, Choice()),
    "a resync was cut off": (replace(KNOWN, resync_from=60), FACTS, None, Choice(resync=True, sentence=CUT_OFF)),
    "even at the end": (
        replace(KNOWN, resync_from=60),
        FACTS._replace(end_offset=100),
        None,
        Choice(resync=True, sentence=CUT_OFF),
    ),
    "made again, longer": (
        KNOWN,
        FACTS._replace(topic_id="b"),
        None,
        Choice(Change("recreated", 100, None), sentence=f"{NAME} was deleted and made again; {SHOWN}"),
    ),
    "made again, its end was known": (
        replace(KNOWN, end_offset=110),
        FACTS._replace(topic_id="b", end_offset=100),
        None,
        Choice(Change("recreated", 100, 109), sentence=f"{NAME} was deleted and made again; {SHOWN}"),
    ),
    "made again, shorter": (
        replace(KNOWN, end_offset=None),
        FACTS._replace(topic_id="b", end_offset=3),
        None,
        Choice(Change("recreated", 100, None), sentence=f"{NAME} was deleted and made again; {SHOWN}"),
    ),
    "it ends below the position": (
        KNOWN,
        FACTS._replace(end_offset=99),
        None,
        Choice(
            Change("truncated", 99, 99),
            sentence=f"{NAME} was truncated: it ends at offset 99, below the position 100; {SHOWN}",
        ),
    ),
    "it has another event": (
        PAST_HALF,
        FACTS,
        42,
        Choice(
            Change("truncated", 42, 99),
            sentence=f"{NAME} has another event at offset 42 than before: its past was changed; {SHOWN}",
        ),
    ),
    "a recording is read again": (RECORDED, FACTS, None, Choice(resync=True, sentence=UNKNOWN)),
    "a recording to the end is not": (
        RECORDED,
        FACTS._replace(end_offset=100),
        None,
        Choice(sentence=f"{NAME} goes on at 100, where its recording ended"),
    ),
    "a recording of another topic": (
        RECORDED,
        FACTS,
        0,
        Choice(
            Change("truncated", 0, 99),
            sentence=f"{NAME} has another event at offset 0 than before: its past was changed; {SHOWN}",
        ),
    ),
    "a recording that is longer": (
        RECORDED,
        FACTS._replace(end_offset=1),
        None,
        Choice(
            Change("truncated", 1, 99),
            sentence=f"{NAME} was truncated: it ends at offset 1, below the position 100; {SHOWN}",
        ),
    ),
    "a cluster that tells no id": (KNOWN, FACTS._replace(topic_id=None), None, Choice()),
    "a cluster that told none before": (replace(KNOWN, topic_id=None), FACTS, None, Choice()),
    "a Postgres log": (OWN, OWN_FACTS, None, Choice()),
}


@pytest.mark.parametrize("case", CASES)
def test_a_case(case: str) -> None:
    log, facts, difference, expected = CASES[case]
    assert choose(log, facts, difference, NOW) == expected


def test_a_past_that_a_resync_found_changed_is_the_same_case() -> None:
    assert another_past(KNOWN, 42) == choose(KNOWN, FACTS, 42, NOW)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (FACTS, True),
        (FACTS._replace(end_offset=100), True),
        (FACTS._replace(end_offset=99), False),
        (FACTS._replace(topic_id="b"), False),
        (FACTS._replace(topic_id=None), True),
    ],
)
def test_events_are_compared_where_the_log_may_be_the_same(facts: StreamFacts, expected: bool) -> None:
    assert may_be_the_same(KNOWN, facts) is expected


def test_any_topic_may_be_that_of_a_recording() -> None:
    assert may_be_the_same(RECORDED, FACTS._replace(topic_id="b"))
