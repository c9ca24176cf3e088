"""Reads one stream to its present end in one transaction, as a replay of many streams does for each of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from eventlog.events import RecordedEvent, batches
from eventlog.timestamps import MICROS_OF_AN_HOUR, micros_of, storable_micros
from projections.follow.heartbeat import Beat, write_beats
from projections.follow.resume import LogSource, ResumePoint
from projections.follow.resync import resync
from projections.log_result import LogResult
from projections.projector import BATCH_BYTES, BATCH_EVENTS, Projector
from projections.stream_lock import stream_lock
from projections.tracked_logs import make_current


@dataclass(frozen=True, kw_only=True)
class StreamReader(LogSource):
    """Reads streams of a source to their ends, each in one transaction, over one connection. ``until``: as if each
    stream ended before its first later event. ``on_progress`` gets the number of events of each batch.
    """

    until: datetime | None = None
    batch_events: int = BATCH_EVENTS
    on_progress: Callable[[int], None] = lambda _: None

    def read_to_end(self, stream_name: str, kind: str | None = None) -> LogResult:
        """Read a stream on from where its log ends, after the log or its next incarnation was registered. Raises
        StreamBusy or PositionMoved if another session reads the stream, and as `find_resume_point`.
        """
        with stream_lock(self.connection, stream_name):
            found = self.find_resume_point(stream_name, kind)
            with self.connection.transaction():
                return self._read(found if self.until is None else found.without_resync())

    def _read(self, found: ResumePoint) -> LogResult:
        projector = self.projector(found.log)
        if found.resync:
            size, on_progress = self.batch_events, self.on_progress
            found = resync(self, projector, found, batch_events=size, on_batch=lambda batch: on_progress(len(batch)))
            projector = self.projector(found.log)
        added, quarantined = self._apply(found, projector)
        log = found.log
        if projector.next_offset >= found.target and not log.is_complete:
            make_current(self.connection, log)
        write_beats(self.connection, [Beat(log.log_id, "stopped", found.target)], found.topic.asked_at)
        return LogResult(log.stream, log.incarnation, added, quarantined=quarantined, message=found.message)

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
