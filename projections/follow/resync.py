"""Resync: after an absence that tombstones may not have outlived, a log is read again from its start.

Events below the position are compared with the archive, events beyond it are applied, and keys that were not found at
all are swept: they were deleted, and compaction removed their tombstones. A key of which only older events were found
shows that the log was truncated, even if compaction has removed what was written instead; so does a lost last event.

The last batch, the sweeps, the observations and the position are one transaction, so an interrupted resync is repeated
and a completed one is recorded once.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from eventlog.events import RecordedEvent, batches
from eventlog.postgres.archive import first_difference
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource
from projections.fold.rows import Swept
from projections.follow.continuity import changed_past, lost_past
from projections.follow.heartbeat import server_now
from projections.follow.resume import LogSource, ResumePoint
from projections.projector import BATCH_BYTES, BATCH_EVENTS, Projector
from projections.tracked_logs import Observation, TrackedLog, write_observations

_COMPLETE: Final = "update projection.position set resync_from = null, read_at = %s where log_id = %s"
_LIVE_KEYS: Final = """
select k.key_sha256, max(l.log_offset)
from (
  select m.key_id, m.log_offset from projection.event_key a
  cross join lateral (select e.* from projection.message_event e where e.log_id = a.log_id and e.key_id = a.key_id
                      order by e.log_offset desc limit 1) m
  where a.log_id = %(log_id)s and m.body is not null
  union all
  select c.key_id, c.log_offset from projection.event_key a
  cross join lateral (select e.* from projection.checkpoint_event e where e.log_id = a.log_id and e.key_id = a.key_id
                      order by e.log_offset desc limit 1) c
  where a.log_id = %(log_id)s and c.layout_id is not null
  union all
  select key_id, log_offset from projection.quarantine where log_id = %(log_id)s and resolved_by is null
) l join projection.event_key k on k.log_id = %(log_id)s and k.key_id = l.key_id
group by k.key_sha256
"""
_KEYS: Final = "select key from eventlog.event where log_id = %s and log_offset = any(%s) order by log_offset"


def resync(
    logs: LogSource,
    projector: Projector,
    start: ResumePoint,
    *,
    batch_events: int = BATCH_EVENTS,
    on_batch: Callable[[Sequence[RecordedEvent]], None] = lambda _: None,
) -> ResumePoint:
    """Read a log again from the stream's start to its target, and return where to resume.

    That is the caught-up log; or, where the stream's past turned out to have changed, a new incarnation at its start,
    which needs another projector. An exception from ``on_batch``, which is called after each batch, ends the resync.
    After SourceUnavailable, StreamMissing or OffsetLost, find the resume point again.
    """
    log, connection, source = start.log, logs.connection, logs.source
    started = server_now(connection)
    live_keys = LiveKeys(connection, log.log_id)
    new = _NewEvents(projector, log)
    events = source.read(log.stream.stream_name, start.topic.facts.start_offset, start.target)
    for batch in batches(events, batch_events, BATCH_BYTES):
        archived = (event for event in batch if event.offset < log.next_offset)  # if the log is the same
        if (difference := first_difference(connection, log.log_id, archived)) is not None:
            return logs.record(log, start.topic, changed_past(log, difference))
        live_keys.discard(batch)
        new.apply_previous(batch)
        on_batch(batch)
    if live_keys:  # a key written again meanwhile may have left its old offset before it was read
        live_keys.discard(_later_events(source, start))
    if (lost := live_keys.first_lost(start.target - 1)) is not None:
        return logs.record(log, start.topic, lost_past(log, lost))
    swept = [Swept(start.target - 1, key) for key in live_keys.remaining()]
    with connection.transaction():
        observations = [*new.gap(start.target), *(Observation(at, "swept", key) for at, key in swept)]
        write_observations(connection, log.log_id, observations, logs.clock())
        new.apply_pending(swept)
        if projector.next_offset < start.target:
            projector.pass_to(start.target)
        connection.execute(_COMPLETE, (started, log.log_id))
    caught_up = replace(log, next_offset=projector.next_offset, read_at=started, resync_from=None)
    start = replace(start, events=new.applied, quarantined=new.quarantined)
    return replace(start, log=caught_up, resync=False, message=_message(log, len(swept)))


class LiveKeys:
    """The digests of the log's live keys whose newest events a resync has not found yet. A key is live if its newest
    event is not a delete, or it has an unresolved event in quarantine.
    """

    def __init__(self, connection: Connection, log_id: int) -> None:
        self._connection = connection
        self._log_id = log_id
        rows = connection.execute(_LIVE_KEYS, {"log_id": log_id}, binary=True).fetchall()
        self._offsets: dict[bytes, int] = dict(rows)
        self._found_before: set[bytes] = set()

    def discard(self, events: Iterable[RecordedEvent]) -> None:
        """Remove the keys of these events, unless the archive has a newer event of the key."""
        for event in events:
            if event.key is None:
                continue
            digest = hashlib.sha256(event.key).digest()
            newest = self._offsets.get(digest)
            if newest is None:
                continue
            if event.offset < newest:
                self._found_before.add(digest)
            else:
                del self._offsets[digest]
                self._found_before.discard(digest)

    def __len__(self) -> int:
        return len(self._offsets)

    def first_lost(self, last: int) -> int | None:
        """Return the lowest offset of a newest event that was truncated: an older one was found, or it is ``last``."""
        lost = (at for digest, at in self._offsets.items() if digest in self._found_before or at == last)
        return min(lost, default=None)

    def remaining(self) -> list[bytes]:
        """Return the exact bytes of the keys that are left, in the order of their events in the archive."""
        offsets = list(self._offsets.values())
        return [key for (key,) in self._connection.execute(_KEYS, (self._log_id, offsets), binary=True)]


class _NewEvents:
    """Applies the events beyond the position one batch late, so that the last batch is applied with the sweeps.
    ``applied``: how many were applied, ``quarantined``: how many of them were put in quarantine.
    """

    def __init__(self, projector: Projector, log: TrackedLog) -> None:
        self._projector = projector
        self._position = log.next_offset
        self._resync_from = log.next_offset if log.resync_from is None else log.resync_from
        self._first: int | None = None
        self._pending: list[RecordedEvent] = []
        self.applied = self.quarantined = 0

    def apply_previous(self, batch: Sequence[RecordedEvent]) -> None:
        """Apply the pending batch, and keep the new events of this one pending."""
        if self._first is None:
            self._first = next((event.offset for event in batch if event.offset >= self._resync_from), None)
        new = [event for event in batch if event.offset >= self._position]
        if new and self._pending:
            self.apply_pending()
        self._pending = new or self._pending

    def apply_pending(self, swept: Sequence[Swept] = ()) -> None:
        self.quarantined += self._projector.apply(self._pending, swept=swept)
        self.applied += len(self._pending)

    def gap(self, end: int) -> Iterator[Observation]:
        """The offsets from where the resync began that have no events, up to the first event or the end."""
        last = (end if self._first is None else self._first) - 1
        if last >= self._resync_from:
            yield Observation(last, "gap", None, self._resync_from, last)


def _later_events(source: EventSource, start: ResumePoint) -> Iterable[RecordedEvent]:
    name, target = start.log.stream.stream_name, start.target
    return source.read(name, target, source.end_offsets([name]).get(name, target))


def _message(log: TrackedLog, swept: int) -> str:
    keys = "no deleted keys" if swept == 0 else "1 deleted key" if swept == 1 else f"{swept} deleted keys"
    return f"{log.stream.stream_name} was read again from its start: found {keys}."
