"""What a replay does with one log, by source: a topic is read to its end, an archived log is rebuilt."""

from dataclasses import dataclass

from eventlog.log import system_clock
from eventlog.streams import StreamIdentity
from projections.follow.read_to_end import ReadToEnd, StreamReader
from projections.rebuild import Rebuilt, rebuild_log
from projections.recording_import import Imported, ReadEvents
from projections.tracked_logs import TrackedLog
from spark_jobs.executors.partitions import replay_projector
from spark_jobs.executors.work import WorkSession
from spark_jobs.replay.recordings import import_events


@dataclass(frozen=True)
class TopicStream:
    """Reads one topic of Kafka to its present end. ``end``: its end when the replay was planned."""

    stream: StreamIdentity
    end: int

    @property
    def job(self) -> tuple[str, str]:
        """The job's name and id, as far as the stream's name tells."""
        return self.stream.job_name, self.stream.job_id

    @property
    def weight(self) -> int:
        """The number of offsets."""
        return self.end

    def run(self, session: WorkSession) -> ReadToEnd:
        """See `Work`."""
        settings = session.settings
        reader = StreamReader(
            session.connection,
            session.source,
            settings.fold,
            system_clock,
            settings.until,
            make_projector=replay_projector(session),
        )
        return reader.read_to_end(self.stream.stream_name, settings.kind)


@dataclass(frozen=True)
class ReadableStream:
    """Imports a stream from any source: ``read_events`` is picklable and reads it from its first event at each call."""

    stream: StreamIdentity
    read_events: ReadEvents
    events: int

    @property
    def job(self) -> tuple[str, str]:
        """The job's name and id, as far as the stream's name tells."""
        return self.stream.job_name, self.stream.job_id

    @property
    def weight(self) -> int:
        """The number of events."""
        return self.events

    def run(self, session: WorkSession) -> Imported:
        """See `Work`."""
        return import_events(session, self.stream, self.read_events)


@dataclass(frozen=True)
class ArchivedLog:
    """Rebuilds one log from the archive."""

    log: TrackedLog
    job: tuple[str, str]

    @property
    def stream(self) -> StreamIdentity:
        """The stream."""
        return self.log.stream

    @property
    def weight(self) -> int:
        """The number of offsets."""
        return max(self.log.next_offset, self.log.end_offset or 0)

    def run(self, session: WorkSession) -> Rebuilt:
        """See `Work`."""
        return rebuild_log(session.connection, self.log, session.settings.fold)
