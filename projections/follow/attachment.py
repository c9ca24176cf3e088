"""What a follower does with a stream that it attaches to: a pure choice from what is known and what is there now."""

from datetime import datetime
from typing import Literal, NamedTuple

from eventlog.source import StreamFacts
from eventlog.timestamps import ms_of
from projections.tracked_logs import TrackedLog

ChangeKind = Literal["truncated", "recreated"]


class Change(NamedTuple):
    """How a log's past came to an end: events ``from_offset`` to ``to_offset`` (None: nobody knows) are lost."""

    kind: ChangeKind
    from_offset: int
    to_offset: int | None


class Choice(NamedTuple):
    """What to do with a stream that is known.

    With a ``change`` it is read from its start as a new incarnation; else it goes on from the position. ``resync``:
    not before all of it was read again. ``sentence`` tells the operator, and is empty where nothing is out of the way.
    """

    change: Change | None = None
    resync: bool = False
    sentence: str = ""


def may_be_the_same(log: TrackedLog, facts: StreamFacts) -> bool:
    """Whether the stream can be the known log, going by what identifies it: its events need to be compared then."""
    return not _is_another_topic(log, facts) and log.next_offset <= facts.end_offset


def choose(log: TrackedLog, facts: StreamFacts, difference: int | None, now: datetime) -> Choice:
    """Go on with the known log, read it again, or begin a new incarnation of it.

    ``difference`` is the first offset below the position where the stream has another event than the archive; None
    where it has none, or need not be asked (`may_be_the_same`).
    """
    if _is_another_topic(log, facts):
        return _replaced(log, Change("recreated", log.next_offset, _last_known(log)), "was deleted and made again")
    last = log.next_offset - 1
    if log.next_offset > facts.end_offset:
        reason = f"was truncated: it ends at offset {facts.end_offset}, below the position {log.next_offset}"
        return _replaced(log, Change("truncated", facts.end_offset, last), reason)
    if difference is not None:
        return another_past(log, difference)
    name = log.stream.stream_name
    if (absence := _reason_to_resync(log, facts, now)) is not None:
        sentence = f"{name} {absence}: it is read again from its start, to find keys that were deleted"
        return Choice(resync=True, sentence=sentence)
    if log.backend == "recording":
        return Choice(sentence=f"{name} goes on at {log.next_offset}, where its recording ended")
    return Choice()


def another_past(log: TrackedLog, difference: int) -> Choice:
    """What to do where the stream turned out to have another event below the position than the archive."""
    reason = f"has another event at offset {difference} than before: its past was changed"
    return _replaced(log, Change("truncated", difference, log.next_offset - 1), reason)


def _is_another_topic(log: TrackedLog, facts: StreamFacts) -> bool:
    return None not in (log.topic_id, facts.topic_id) and log.topic_id != facts.topic_id


def _last_known(log: TrackedLog) -> int | None:
    """The last offset that a topic which is gone is known to have had, beyond the position."""
    return None if log.end_offset is None or log.end_offset <= log.next_offset else log.end_offset - 1


def _replaced(log: TrackedLog, change: Change, reason: str) -> Choice:
    name, incarnation = log.stream.stream_name, log.incarnation + 1
    rest = "what was read before is shown until that is done, and stays in the history"
    return Choice(change, sentence=f"{name} {reason}; it is read from its start as incarnation {incarnation}, {rest}")


def _reason_to_resync(log: TrackedLog, facts: StreamFacts, now: datetime) -> str | None:
    """Why tombstones may have come and gone beyond the position, if they may."""
    if log.resync_from is not None:
        return "was being read again when the follower ended"
    if log.next_offset < facts.start_offset:
        return f"begins at offset {facts.start_offset} now, beyond the position {log.next_offset}"
    if facts.delete_retention_ms is None or log.next_offset in (0, facts.end_offset):
        return None
    if log.read_at is None or log.backend == "recording":
        return "was last read nobody knows when"
    away_ms = ms_of(now) - ms_of(log.read_at)
    if away_ms <= facts.delete_retention_ms // 2:
        return None
    return f"was last read at {log.read_at:%Y-%m-%d %H:%M:%S} UTC, longer ago than its tombstones are sure to be kept"
