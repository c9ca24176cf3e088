"""Reads one stream to its present end in one transaction, as a replay of many streams does for each of them."""

from dataclasses import dataclass

from eventlog.events import batches
from projections.follow.heartbeat import Beat, write_beats
from projections.follow.resume import LogSource, ResumePoint
from projections.follow.resync import resync
from projections.log_result import LogResult
from projections.projector import BATCH_BYTES, BATCH_EVENTS
from projections.stream_lock import stream_lock
from projections.tracked_logs import make_current, stop_at_position


@dataclass(frozen=True, kw_only=True)
class StreamReader(LogSource):
    """Reads streams of a source to their ends, each in one transaction, over one connection."""

    batch_events: int = BATCH_EVENTS

    def read_to_end(self, stream_name: str, kind: str | None = None) -> LogResult:
        """Read a stream on from where its log ends, after the log or its next incarnation was registered. Raises
        StreamBusy or PositionMoved if another session reads the stream, and as `find_resume_point`.
        """
        with stream_lock(self.connection, stream_name):
            found = self.find_resume_point(stream_name, kind)
            with self.connection.transaction():
                return self._read(found)

    def _read(self, found: ResumePoint) -> LogResult:
        projector = self.projector(found.log)
        if found.resync:
            found = resync(self, projector, found, batch_events=self.batch_events)
            projector = self.projector(found.log)
        log, added, quarantined = found.log, found.events, found.quarantined
        events = self.source.read(log.stream.stream_name, projector.next_offset, found.target)
        for batch in batches(events, self.batch_events, BATCH_BYTES):
            quarantined += projector.apply(batch)
            added += len(batch)
        if projector.next_offset < found.target:
            projector.pass_to(found.target)
        if not log.is_complete:
            make_current(self.connection, log)
        write_beats(self.connection, [Beat(log.log_id, "stopped", found.target)], found.topic.asked_at)
        stop_at_position(self.connection, log)
        return LogResult(log.stream, log.incarnation, added, quarantined=quarantined, message=found.message)
