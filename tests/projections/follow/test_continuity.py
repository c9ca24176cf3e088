"""Whether a stream continues its log: all cases."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from eventlog.source import FOREVER_MS, StreamFacts
from eventlog.streams import identify
from projections.follow.continuity import Continuity, Discontinuity, changed_past, check_continuity, needs_comparison
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

NEW: Final = "Reading it from its start as incarnation 3; until that is complete, relations show the previous one."
RESYNC: Final = "Reading it again from its start to find deleted keys."
UNKNOWN_TIME: Final = f"{NAME} was last read at an unknown time. {RESYNC}"
LATER_START: Final = f"{NAME} now starts at offset 101, after the position 100. {RESYNC}"
INTERRUPTED: Final = f"{NAME} has an interrupted resync. {RESYNC}"
LONG_AGO: Final = (
    f"{NAME} was last read at 2026-03-03 17:06:06 UTC, so tombstones may have been removed since. {RESYNC}"
)
ASSUMED: Final = " (its delete.retention.ms is unknown, 24 hours assumed)"
AT_HALF: Final = replace(KNOWN, read_at=NOW - timedelta(hours=12))
PAST_HALF: Final = replace(KNOWN, read_at=NOW - timedelta(hours=12, seconds=1))

CASES: Final[dict[str, tuple[TrackedLog, StreamFacts, int | None, Continuity]]] = {
    "it continues": (KNOWN, FACTS, None, Continuity()),
    "it continues at its end": (KNOWN, FACTS._replace(end_offset=100), None, Continuity()),
    "absent for half the retention of tombstones": (AT_HALF, FACTS, None, Continuity()),
    "absent for longer": (PAST_HALF, FACTS, None, Continuity(resync=True, message=LONG_AGO)),
    "absent for longer, and the topic ends at the position": (
        PAST_HALF,
        FACTS._replace(end_offset=100),
        None,
        Continuity(resync=True, message=LONG_AGO),
    ),
    "absent for longer, but tombstones are kept": (
        PAST_HALF,
        FACTS._replace(delete_retention_ms=FOREVER_MS),
        None,
        Continuity(),
    ),
    "absent for half the default, and the retention is unknown": (
        AT_HALF,
        FACTS._replace(delete_retention_ms=None),
        None,
        Continuity(),
    ),
    "absent for longer, and the retention is unknown": (
        PAST_HALF,
        FACTS._replace(delete_retention_ms=None),
        None,
        Continuity(resync=True, message=LONG_AGO.replace("since.", f"since{ASSUMED}.")),
    ),
    "a retention of years": (PAST_HALF, FACTS._replace(delete_retention_ms=2**62), None, Continuity()),
    "read in the future": (
        replace(KNOWN, read_at=NOW + timedelta(seconds=61)),
        FACTS,
        None,
        Continuity(resync=True, message=UNKNOWN_TIME),
    ),
    "read a minute in the future": (replace(KNOWN, read_at=NOW + timedelta(seconds=60)), FACTS, None, Continuity()),
    "read at an unknown time": (
        replace(KNOWN, read_at=None),
        FACTS,
        None,
        Continuity(resync=True, message=UNKNOWN_TIME),
    ),
    "at position 0": (replace(KNOWN, read_at=None, next_offset=0), FACTS, None, Continuity()),
    "it starts after the position": (
        KNOWN,
        FACTS._replace(start_offset=101),
        None,
        Continuity(resync=True, message=LATER_START),
    ),
    "it starts after position 0": (
        replace(KNOWN, next_offset=0),
        FACTS._replace(start_offset=9),
        None,
        Continuity(resync=True, message=f"{NAME} now starts at offset 9, after the position 0. {RESYNC}"),
    ),
    "it starts at the position": (KNOWN, FACTS._replace(start_offset=100), None, Continuity()),
    "an interrupted resync": (
        replace(KNOWN, resync_from=60),
        FACTS,
        None,
        Continuity(resync=True, message=INTERRUPTED),
    ),
    "an interrupted resync at the end": (
        replace(KNOWN, resync_from=60),
        FACTS._replace(end_offset=100),
        None,
        Continuity(resync=True, message=INTERRUPTED),
    ),
    "re-created, longer": (
        KNOWN,
        FACTS._replace(topic_id="b"),
        None,
        Continuity(Discontinuity("recreated", 100, None), message=f"{NAME} was deleted and re-created. {NEW}"),
    ),
    "re-created, with a known end": (
        replace(KNOWN, end_offset=110),
        FACTS._replace(topic_id="b", end_offset=100),
        None,
        Continuity(Discontinuity("recreated", 100, 109), message=f"{NAME} was deleted and re-created. {NEW}"),
    ),
    "re-created, shorter": (
        replace(KNOWN, end_offset=None),
        FACTS._replace(topic_id="b", end_offset=3),
        None,
        Continuity(Discontinuity("recreated", 100, None), message=f"{NAME} was deleted and re-created. {NEW}"),
    ),
    "it ends before the position": (
        KNOWN,
        FACTS._replace(end_offset=99),
        None,
        Continuity(
            Discontinuity("truncated", 99, 99),
            message=f"{NAME} was truncated: it ends at offset 99, before the position 100. {NEW}",
        ),
    ),
    "it has a different event": (
        PAST_HALF,
        FACTS,
        42,
        Continuity(
            Discontinuity("truncated", 42, 99),
            message=f"{NAME} has a different event at offset 42 than before. {NEW}",
        ),
    ),
    "a recording of a part": (RECORDED, FACTS, None, Continuity(resync=True, message=UNKNOWN_TIME)),
    "a recording to the end": (
        RECORDED,
        FACTS._replace(end_offset=100),
        None,
        Continuity(resync=True, message=UNKNOWN_TIME),
    ),
    "a recording whose topic keeps all tombstones": (
        RECORDED,
        FACTS._replace(delete_retention_ms=FOREVER_MS),
        None,
        Continuity(message=f"{NAME} continues at offset 100, where its recording ended."),
    ),
    "a recording of another topic": (
        RECORDED,
        FACTS,
        0,
        Continuity(
            Discontinuity("truncated", 0, 99),
            message=f"{NAME} has a different event at offset 0 than before. {NEW}",
        ),
    ),
    "a recording that is longer": (
        RECORDED,
        FACTS._replace(end_offset=1),
        None,
        Continuity(
            Discontinuity("truncated", 1, 99),
            message=f"{NAME} was truncated: it ends at offset 1, before the position 100. {NEW}",
        ),
    ),
    "a cluster without topic ids": (KNOWN, FACTS._replace(topic_id=None), None, Continuity()),
    "a cluster that had no topic ids before": (replace(KNOWN, topic_id=None), FACTS, None, Continuity()),
    "a Postgres log": (OWN, OWN_FACTS, None, Continuity()),
}


@pytest.mark.parametrize("case", CASES)
def test_a_case(case: str) -> None:
    log, facts, difference, expected = CASES[case]
    assert check_continuity(log, facts, difference, NOW) == expected


def test_a_difference_that_a_resync_finds_is_handled_alike() -> None:
    assert changed_past(KNOWN, 42) == check_continuity(KNOWN, FACTS, 42, NOW)


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
def test_events_are_compared_if_the_log_may_be_the_same(facts: StreamFacts, expected: bool) -> None:
    assert needs_comparison(KNOWN, facts) is expected


def test_a_recording_is_compared_with_any_topic() -> None:
    assert needs_comparison(RECORDED, FACTS._replace(topic_id="b"))
