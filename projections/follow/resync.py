"""Resync: after an absence that tombstones may not have outlived, a log is read again from its start.

What was read before is compared, what is new is applied, and keys that were not met at all are swept: they were
deleted, and their tombstones too. The last batch, the sweeps, what was observed and the position are one transaction,
so that a resync that is cut off is done again, and one that was done leaves its traces once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from eventlog.events import RecordedEvent, batches
from eventlog.postgres.archive_comparison import first_difference
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.follow.attach import Attachment, replace_past
from projections.follow.attachment import another_past
from projections.follow.gathering import BATCH_BYTES
from projections.follow.living_keys import LivingKeys
from projections.observations import Observation, write_observations
from projections.projector import BATCH_EVENTS, Clock, Projector
from projections.server_clock import server_now
from projections.tracked_logs import TrackedLog

OnBatch = Callable[[Sequence[RecordedEvent]], None]

_DONE: Final = "update projection.position set resync_from = null, read_at = %s where log_id = %s"


def resync(
    connection: Connection,
    source: EventSource,
    projector: Projector,
    attachment: Attachment,
    settings: FoldSettings,
    clock: Clock,
    *,
    batch_events: int = BATCH_EVENTS,
    on_batch: OnBatch = lambda _: None,
) -> Attachment:
    """Read the log of an attachment again from the stream's start up to its target, and say how to go on.

    That is the same log, caught up; or, where its past turned out to be another, a new incarnation from its start,
    for which ``projector`` does not do. ``on_batch`` is given every batch that was read; what it raises ends the
    resync.

    Raises:
        SourceUnavailable, StreamMissing, OffsetLost: attach again, and resync then.
        PositionMoved: another projector is at work on the log.
    """
    log, started = attachment.log, server_now(connection)
    living = LivingKeys(connection, log.log_id)
    new = _NewEvents(projector, log)
    events = source.read(log.stream.stream_name, attachment.topic.facts.start_offset, attachment.target)
    for batch in batches(events, batch_events, BATCH_BYTES):
        difference = first_difference(connection, log.log_id, new.known(batch))
        if difference is not None:
            return replace_past(connection, attachment, another_past(log, difference), settings, clock)
        living.meet(batch)
        new.take(batch)
        on_batch(batch)
    if living:  # one that was written again meanwhile may have left its old place before we came by
        living.meet(_later_events(source, attachment))
    swept = [Swept(attachment.target - 1, key) for key in living.unmet()]
    with connection.transaction():
        write_observations(connection, log.log_id, [*new.gap(attachment.target), *map(_observation, swept)], clock())
        projector.apply(new.held_back, swept=swept)
        if projector.next_offset < attachment.target:
            projector.pass_to(attachment.target)
        connection.execute(_DONE, (started, log.log_id))
    caught_up = replace(log, next_offset=projector.next_offset, read_at=started, resync_from=None)
    return replace(attachment, log=caught_up, resync=False, sentence=_sentence(log, len(swept)))


class _NewEvents:
    """Applies what lies beyond the position, a batch behind, so that the last can be applied with the sweeps."""

    def __init__(self, projector: Projector, log: TrackedLog) -> None:
        self._projector = projector
        self._position = log.next_offset
        self._resync_from = log.next_offset if log.resync_from is None else log.resync_from
        self._first: int | None = None
        self.held_back: list[RecordedEvent] = []

    def known(self, batch: Sequence[RecordedEvent]) -> Iterator[RecordedEvent]:
        """The events that the archive has, if the log is the same."""
        return (event for event in batch if event.offset < self._position)

    def take(self, batch: Sequence[RecordedEvent]) -> None:
        """Apply the batch before; of this one, keep what is new."""
        if self._first is None:
            self._first = next((event.offset for event in batch if event.offset >= self._resync_from), None)
        new = [event for event in batch if event.offset >= self._position]
        if new and self.held_back:
            self._projector.apply(self.held_back)
        self.held_back = new or self.held_back

    def gap(self, end: int) -> Iterator[Observation]:
        """What is missing from where the resync began to the first event beyond, or to the end."""
        last = (end if self._first is None else self._first) - 1
        if last >= self._resync_from:
            yield Observation(last, "gap", None, self._resync_from, last)


def _later_events(source: EventSource, attachment: Attachment) -> Iterable[RecordedEvent]:
    name, target = attachment.log.stream.stream_name, attachment.target
    return source.read(name, target, source.end_offsets([name]).get(name, target))


def _observation(swept: Swept) -> Observation:
    return Observation(swept.at_offset, "swept", swept.key)


def _sentence(log: TrackedLog, swept: int) -> str:
    keys = "no key was" if swept == 0 else "1 key was" if swept == 1 else f"{swept} keys were"
    return f"{log.stream.stream_name} was read again from its start: {keys} deleted meanwhile"
