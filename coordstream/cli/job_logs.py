"""Opens the logs of a job where its streams are: on the Kafka brokers of the settings, or else in the database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from coordstream.cli.event_logs import open_log, open_source
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.settings import load_settings
from eventlog.log import EventLog
from eventlog.postgres.log_registry import stream_identities
from eventlog.streams import StreamIdentity, StreamKind, identify
from managers.checkpoints.checkpoint_errors import JobAlive
from managers.job_names import JOB_ID, JOB_NAME
from projections.job_choice import Job, choose_job


class JobLogs(NamedTuple):
    """A job's logs, None where it has no such stream. ``job`` is named as its streams are, with ``-`` for ``_``."""

    job: Job
    coordinator: EventLog | None
    checkpoint: EventLog | None

    def named_in(self, config: Mapping[str, str]) -> Job:
        """The job as its config names it, or else as its streams do."""
        return Job(config.get(JOB_NAME, self.job.name), config.get(JOB_ID, self.job.id))


@contextmanager
def open_job_logs(word: str) -> Iterator[JobLogs]:
    """Open the logs of the job that a word names: ``name/id``, or ``name`` if only one job has it.

    Raises:
        UnknownJob: no job or several jobs have the name.
        CoordstreamError: the brokers have no streams of jobs.
    """
    streams = job_streams(word)
    with ExitStack() as opened:
        logs = {kind: opened.enter_context(_open(stream)) for kind, stream in streams.items()}
        stream = next(iter(streams.values()))
        yield JobLogs(Job(stream.job_name, stream.job_id), logs.get("coordinator"), logs.get("checkpoint"))


def coordinator_stream_of(word: str) -> str:
    """Return the name of a job's coordinator stream. Raises as `open_job_logs`, also if the job has none."""
    streams = job_streams(word)
    if "coordinator" not in streams:
        stream = streams["checkpoint"]
        raise no_coordinator_stream(Job(stream.job_name, stream.job_id))
    return streams["coordinator"].stream_name


def no_coordinator_stream(job: Job) -> CoordstreamError:
    """The error about a job that has a checkpoint topic only."""
    return CoordstreamError(
        f"Job {job} has no coordinator stream. Check the job's name, or create the stream with "
        "`coordstream log create`."
    )


def require_stopped(job: Job, alive: JobAlive | None) -> None:
    """Raise CoordstreamError if a job appears to be running (see `job_alive`): it would not notice a change."""
    if alive is not None:
        raise CoordstreamError(
            f"{job} appears to be running (last checkpoint {alive.age()}). Stop it first, or use --force."
        )


def job_streams(word: str) -> dict[StreamKind, StreamIdentity]:
    """Return the one or two streams of the job that a word names. Raises as `open_job_logs`."""
    kafka = load_settings().kafka
    return streams_of(_known_streams(), word, "" if kafka is None else kafka.place)


def streams_of(streams: Sequence[StreamIdentity], word: str, brokers: str = "") -> dict[StreamKind, StreamIdentity]:
    """Return the streams of the job that a word names, among the streams of the brokers, or else of the database."""
    if brokers and not streams:
        raise CoordstreamError(f"No streams of a job in {brokers}. Check COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS.")
    jobs = {Job(stream.job_name, stream.job_id) for stream in streams}
    job = choose_job(sorted(jobs), word, brokers)
    return {stream.stream_kind: stream for stream in streams if (stream.job_name, stream.job_id) == job}


def is_stream(stream_name: str) -> bool:
    """Whether there is a stream of this name. Raises as `open_job_logs`, but not if no job has the name."""
    return any(stream.stream_name == stream_name for stream in _known_streams())


def _known_streams() -> list[StreamIdentity]:
    """All streams, including those of imported recordings."""
    if load_settings().kafka is not None:
        with open_source() as source:
            return [identify(name) for name in source.stream_names()]
    with open_database() as database:
        return stream_identities(database.connection)


@contextmanager
def _open(stream: StreamIdentity) -> Iterator[EventLog]:
    with open_log(stream.stream_name, stream.stream_kind, takes_many=False) as log:
        yield log
