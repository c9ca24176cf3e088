"""Finds events that a topic has and that a log needs below its horizon, although the archive lacks them.

A retention has detached the other events that only the topic has.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import read_archived
from eventlog.postgres.archive_comparison import horizon_offset
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource, StreamFacts
from eventlog.topic_comparison import Pair, pair_events
from projections.fold.batch import sets_value
from projections.fold.log_fold import LogFold
from projections.fold.settings import FoldSettings
from projections.tracked_logs import TrackedLog

_PINNED: Final = """
select c.cut from projection.pin p cross join lateral projection.log_cut(%s, p.pinned_at) c where c.cut >= 0
"""
_WITH_ROWS: Final = """
select r.log_offset from (
  select m.log_offset from projection.message_event m where m.log_id = %(log_id)s
  union select c.log_offset from projection.checkpoint_event c where c.log_id = %(log_id)s
  union select q.log_offset from projection.quarantine q where q.log_id = %(log_id)s
  union select t.log_offset from projection.log_time t where t.log_id = %(log_id)s) r
where r.log_offset < %(horizon)s
  and not exists (select from eventlog.event e where e.log_id = %(log_id)s and e.log_offset = r.log_offset)
"""


def lost_base(
    connection: Connection, source: EventSource, log: TrackedLog, facts: StreamFacts, settings: FoldSettings
) -> frozenset[int]:
    """Return the offsets below a log's horizon that its topic has and its archive should have, too.

    They are those of events with rows, and of the newest value of each key at the horizon and at the pins: if the rows
    are lost as well, other events that a retention had kept are not found. An event without key and value, which has no
    rows, is never found.
    """
    horizon = horizon_offset(connection, log.log_id)
    if horizon <= facts.start_offset:
        return frozenset()
    topic = source.read(log.stream.stream_name, facts.start_offset, horizon + 1)
    return frozenset(find_lost_base(connection, log, horizon, topic, settings))


def find_lost_base(
    connection: Connection, log: TrackedLog, horizon: int, topic: Iterable[RecordedEvent], settings: FoldSettings
) -> set[int]:
    """As `lost_base`, with the topic's events up to the horizon. There may be offsets that the topic lacks, too."""
    log_id = log.log_id
    pages = read_archived(connection, log_id, 0, horizon + 1)
    archived = (event for events, _ in pages for event in events)
    cuts = sorted({horizon, *(cut for (cut,) in connection.execute(_PINNED, (log_id,)).fetchall())})
    heads = _LostHeads(cuts, LogFold(log_id, log.stream.stream_kind, settings.secrets))
    for pair in pair_events(((event, None) for event in archived), topic):
        heads.add(pair)
    values = {"log_id": log_id, "horizon": horizon}
    with_rows = {offset for (offset,) in connection.execute(_WITH_ROWS, values).fetchall()}
    return with_rows | heads.offsets()


class _LostHeads:
    """Finds the newest values of keys at cuts (last offsets, ascending) that only the topic has.

    Memory holds the keys whose newest value so far is one of these, as digests.
    """

    def __init__(self, cuts: Sequence[int], fold: LogFold) -> None:
        self._cuts = cuts
        self._fold = fold
        self._found: set[int] = set()
        self._newest: dict[bytes, int] = {}

    def add(self, pair: Pair) -> None:
        """Add the next event."""
        event = pair.archived or pair.current
        if event is None or event.key is None:
            return
        key = hashlib.sha256(event.key).digest()
        previous = self._newest.pop(key, None)
        if previous is not None and self._is_at_a_cut(previous, event.offset):
            self._found.add(previous)
        if pair.archived is None and sets_value(self._fold, event):
            self._newest[key] = event.offset

    def offsets(self) -> set[int]:
        """The offsets of these events."""
        return self._found | set(self._newest.values())

    def _is_at_a_cut(self, first: int, next_offset: int) -> bool:
        """Whether an event was the newest of its key at a cut; ``next_offset`` is that of the key's next one."""
        position = bisect_left(self._cuts, first)
        return position < len(self._cuts) and self._cuts[position] < next_offset
