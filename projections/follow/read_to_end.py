"""Reads one stream to its present end in one transaction, as a replay of many streams does for each of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from eventlog.events import RecordedEvent, batches
from eventlog.postgres.connection import Connection
from eventlog.source import POSTGRES, EventSource
from eventlog.timestamps import MICROS_OF_AN_HOUR, micros_of, storable_micros
from projections.fold.settings import FoldSettings
from projections.follow.heartbeat import Beat, write_beats
from projections.follow.resume import ResumePoint, find_resume_point
from projections.follow.resync import resync
from projections.log_result import LogResult
from projections.projector import BATCH_BYTES, BATCH_EVENTS, Clock, MakeProjector, Projector
from projections.stream_lock import stream_lock
from projections.tracked_logs import TrackedLog, make_current


@dataclass(frozen=True)
class StreamReader:
    """Reads streams of a source to their ends, each in one transaction, over one connection. ``until``: as if each
    stream ended before its first later event. ``on_progress`` gets the number of events of each batch.
    """

    connection: Connection
    source: EventSource
    settings: FoldSettings
    clock: Clock
    until: datetime | None = None
    batch_events: int = BATCH_EVENTS
    on_progress: Callable[[int], None] = lambda _: None
    make_projector: MakeProjector = Projector

    def read_to_end(self, stream_name: str, kind: str | None = None) -> LogResult:
        """Read a stream on from where its log ends, after the log or its next incarnation was registered. Raises
        StreamBusy or PositionMoved if another session reads the stream, and as `find_resume_point`.
        """
        with stream_lock(self.connection, stream_name):
            found = find_resume_point(self.connection, self.source, stream_name, self.settings, self.clock, kind)
            with self.connection.transaction():
                return self._read(found if self.until is None else found.without_resync())

    def _read(self, found: ResumePoint) -> LogResult:
        if found.resync:
            found = self._resync(found)
        projector = self._projector(found.log)
        added, quarantined = self._apply(found, projector)
        log = found.log
        if projector.next_offset >= found.target and not log.is_complete:
            make_current(self.connection, log)
        write_beats(self.connection, [Beat(log.log_id, "stopped", found.target)], found.topic.asked_at)
        return LogResult(log.stream, log.incarnation, added, quarantined=quarantined, message=found.message)

    def _resync(self, found: ResumePoint) -> ResumePoint:
        return resync(
            *(self.connection, self.source, self._projector(found.log), found, self.settings, self.clock),
            batch_events=self.batch_events,
            on_batch=lambda batch: self.on_progress(len(batch)),
        )

    def _apply(self, found: ResumePoint, projector: Projector) -> tuple[int, int]:
        first = max(projector.next_offset, found.topic.facts.start_offset)
        events = self.source.read(found.log.stream.stream_name, first, found.target)
        bound = None if self.until is None else TimeBound(self.until, self.clock())
        added = quarantined = 0
        for batch in batches(events if bound is None else bound.before(events), self.batch_events, BATCH_BYTES):
            quarantined += projector.apply(batch)
            added += len(batch)
            self.on_progress(len(batch))
        if projector.next_offset < found.target and not (bound and bound.is_reached):
            projector.pass_to(found.target)
        return added, quarantined

    def _projector(self, log: TrackedLog) -> Projector:
        archives = self.source.backend != POSTGRES
        return self.make_projector(self.connection, log, self.settings, self.clock, archives=archives)


class TimeBound:
    """Passes a log's events before the first one that is later than ``until``; ``is_reached``: there was one. As for
    the log's time, a record time more than an hour after ``now`` does not count.
    """

    def __init__(self, until: datetime, now: datetime) -> None:
        self.is_reached = False
        self._until = micros_of(until)
        self._latest = micros_of(now) + MICROS_OF_AN_HOUR

    def before(self, events: Iterable[RecordedEvent]) -> Iterator[RecordedEvent]:
        for event in events:
            time = storable_micros(event.timestamp)
            if time is not None and self._until < time <= self._latest:
                self.is_reached = True
                return
            yield event
