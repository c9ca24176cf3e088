"""Decides whether a stream still continues the log that was read from it: a pure function of what is known of both."""

from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from eventlog.source import FOREVER_MS, RECORDING, StreamFacts
from eventlog.timestamps import ms_of
from projections.tracked_logs import TrackedLog

ASSUMED_RETENTION_MS: Final = 86_400_000
"""Kafka's default for ``delete.retention.ms``, for topics whose own is unknown."""

_CLOCK_STEP: Final = timedelta(minutes=1)
"""By how much the server's clock may be corrected without a resync. If it was ahead by more, the absence is unknown."""

DiscontinuityKind = Literal["truncated", "recreated"]


class Discontinuity(NamedTuple):
    """Why the stream no longer continues the log: events ``from_offset`` to ``to_offset`` are lost (None: unknown)."""

    kind: DiscontinuityKind
    from_offset: int
    to_offset: int | None


class Continuity(NamedTuple):
    """How to read on.

    With a ``discontinuity``, read the stream from its start as a new incarnation; otherwise continue at the position.
    ``resync``: read the whole log again first. ``message`` is for the operator, empty in the usual case.
    """

    discontinuity: Discontinuity | None = None
    resync: bool = False
    message: str = ""


def check_continuity(log: TrackedLog, facts: StreamFacts, difference: int | None, now: datetime) -> Continuity:
    """Decide whether to continue the known log, to resync it, or to begin a new incarnation.

    ``difference`` is the first offset below the position at which the stream and the archive have different events;
    None where they agree, or the stream is another topic or ends before the position.
    """
    name = log.stream.stream_name
    if is_another_topic(log, facts):
        last = None if log.end_offset is None or log.end_offset <= log.next_offset else log.end_offset - 1
        recreated = Discontinuity("recreated", log.next_offset, last)
        return _new_incarnation(log, recreated, "was deleted and re-created")
    if log.next_offset > facts.end_offset:
        reason = f"was truncated: it ends at offset {facts.end_offset}, before the position {log.next_offset}"
        return _truncated(log, facts.end_offset, reason)
    if difference is not None:
        return changed_past(log, difference)
    if (cause := _reason_to_resync(log, facts, now)) is not None:
        message = f"{name} {cause}. Reading it again from its start to find deleted keys."
        return Continuity(resync=True, message=message)
    if log.backend == RECORDING:
        return Continuity(message=f"{name} continues at offset {log.next_offset}, where its recording ended.")
    return Continuity()


def longest_absence_ms(facts: StreamFacts) -> int:
    """For how long a log may be left unread until a resync is necessary: half of the retention of tombstones, since
    clocks differ, and reading to the end takes time.
    """
    return (ASSUMED_RETENTION_MS if facts.delete_retention_ms is None else facts.delete_retention_ms) // 2


def changed_past(log: TrackedLog, difference: int) -> Continuity:
    """Return how to read on where the stream has another event at offset ``difference`` than the archive."""
    return _truncated(log, difference, f"has a different event at offset {difference} than before")


def lost_past(log: TrackedLog, lost: int) -> Continuity:
    """As `changed_past`, where the stream lost its event at offset ``lost``, so that it was truncated: compaction keeps
    the last event, and removes an older event of a key before the newest one.
    """
    return _truncated(log, lost, f"was truncated: it lost its event at offset {lost}, which compaction keeps")


def _truncated(log: TrackedLog, first: int, reason: str) -> Continuity:
    return _new_incarnation(log, Discontinuity("truncated", first, log.next_offset - 1), reason)


def is_another_topic(log: TrackedLog, facts: StreamFacts) -> bool:
    """Return whether the topic was deleted and re-created; False if an id is unknown."""
    return None not in (log.topic_id, facts.topic_id) and log.topic_id != facts.topic_id


def _new_incarnation(log: TrackedLog, discontinuity: Discontinuity, reason: str) -> Continuity:
    name, number = log.stream.stream_name, log.incarnation + 1
    next_step = f"Reading it from its start as incarnation {number}"
    message = f"{name} {reason}. {next_step}; until that is complete, relations show the previous one."
    return Continuity(discontinuity, message=message)


def _reason_to_resync(log: TrackedLog, facts: StreamFacts, now: datetime) -> str | None:
    """Why compaction may have removed tombstones beyond the position before they were read; None if it can't have."""
    if log.resync_from is not None:
        return "has an interrupted resync"
    if log.next_offset < facts.start_offset:
        return f"now starts at offset {facts.start_offset}, after the position {log.next_offset}"
    if facts.delete_retention_ms == FOREVER_MS or log.next_offset == 0:
        return None
    if log.read_at is None or log.backend == RECORDING or log.read_at > now + _CLOCK_STEP:
        return "was last read at an unknown time"
    if ms_of(now) - ms_of(log.read_at) <= longest_absence_ms(facts):
        return None
    unknown = " (its delete.retention.ms is unknown, 24 hours assumed)" if facts.delete_retention_ms is None else ""
    return f"was last read at {log.read_at:%Y-%m-%d %H:%M:%S} UTC, so tombstones may have been removed since{unknown}"
