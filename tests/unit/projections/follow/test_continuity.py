"""Whether a stream continues its log: all cases."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from eventlog.source import FOREVER_MS, StreamFacts
from eventlog.streams import identify
from projections.follow.continuity import Continuity, Discontinuity, DiscontinuityKind, check_continuity
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

SAME: Final = Continuity()
LOST: Final = Continuity(resync=True, message=UNKNOWN_TIME)
ABSENT: Final = Continuity(resync=True, message=LONG_AGO)


def replaced(kind: DiscontinuityKind, first: int, last: int | None, reason: str) -> Continuity:
    return Continuity(Discontinuity(kind, first, last), message=f"{NAME} {reason}. {NEW}")


RECREATED: Final = "was deleted and re-created"
CASES: Final[dict[str, tuple[TrackedLog, StreamFacts, int | None, Continuity]]] = {
    "it continues": (KNOWN, FACTS, None, SAME),
    "absent for half the retention of tombstones": (AT_HALF, FACTS, None, SAME),
    "absent for longer": (PAST_HALF, FACTS, None, ABSENT),
    "absent, and the topic ends at the position": (PAST_HALF, FACTS._replace(end_offset=100), None, ABSENT),
    "absent, but tombstones are kept": (PAST_HALF, FACTS._replace(delete_retention_ms=FOREVER_MS), None, SAME),
    "absent, and the retention is unknown": (
        PAST_HALF,
        FACTS._replace(delete_retention_ms=None),
        None,
        ABSENT._replace(message=LONG_AGO.replace("since.", f"since{ASSUMED}.")),
    ),
    "read in the future": (replace(KNOWN, read_at=NOW + timedelta(seconds=61)), FACTS, None, LOST),
    "read a minute in the future": (replace(KNOWN, read_at=NOW + timedelta(seconds=60)), FACTS, None, SAME),
    "read at an unknown time": (replace(KNOWN, read_at=None), FACTS, None, LOST),
    "at position 0": (replace(KNOWN, read_at=None, next_offset=0), FACTS, None, SAME),
    "it starts after the position": (KNOWN, FACTS._replace(start_offset=101), None, LOST._replace(message=LATER_START)),
    "it starts after position 0": (
        replace(KNOWN, next_offset=0),
        FACTS._replace(start_offset=9),
        None,
        LOST._replace(message=f"{NAME} now starts at offset 9, after the position 0. {RESYNC}"),
    ),
    "an interrupted resync": (replace(KNOWN, resync_from=60), FACTS, None, LOST._replace(message=INTERRUPTED)),
    "re-created": (KNOWN, FACTS._replace(topic_id="b"), None, replaced("recreated", 100, None, RECREATED)),
    "re-created, with a known end": (
        replace(KNOWN, end_offset=110),
        FACTS._replace(topic_id="b", end_offset=100),
        None,
        replaced("recreated", 100, 109, RECREATED),
    ),
    "it ends before the position": (
        KNOWN,
        FACTS._replace(end_offset=99),
        None,
        replaced("truncated", 99, 99, "was truncated: it ends at offset 99, before the position 100"),
    ),
    "it has a different event": (
        PAST_HALF,
        FACTS,
        42,
        replaced("truncated", 42, 99, "has a different event at offset 42 than before"),
    ),
    "a recording": (RECORDED, FACTS, None, LOST),
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
        replaced("truncated", 0, 99, "has a different event at offset 0 than before"),
    ),
    "a recording that is longer": (
        RECORDED,
        FACTS._replace(end_offset=1),
        None,
        replaced("truncated", 1, 99, "was truncated: it ends at offset 1, before the position 100"),
    ),
    "a cluster without topic ids": (KNOWN, FACTS._replace(topic_id=None), None, SAME),
    "a Postgres log": (OWN, OWN_FACTS, None, SAME),
}


@pytest.mark.parametrize("case", CASES)
def test_a_case(case: str) -> None:
    log, facts, difference, expected = CASES[case]
    assert check_continuity(log, facts, difference, NOW) == expected
