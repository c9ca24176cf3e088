"""The logs of streams and jobs where they are: on the Kafka brokers of the settings, or else in the database.

kafka-python takes a quarter of a second to load, so it is loaded only if brokers are set.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from coordstream.database import database_errors, open_database
from coordstream.errors import CoordstreamError
from coordstream.settings import Settings, load_settings
from eventlog.errors import list_names, printable_text
from eventlog.log import EventLog, StreamExists
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.postgres.log_registry import stream_identities
from eventlog.source import EventSource
from eventlog.streams import (
    BROKER_DEFAULT,
    DEFAULT_JOB_ID,
    StreamIdentity,
    StreamKind,
    checkpoint_stream_name,
    coordinator_stream_name,
    identify,
)
from managers.job_names import JOB_ID, JOB_NAME
from managers.wrapped_logs import DelegatingLog
from projections.job_choice import Job, choose_job

if TYPE_CHECKING:
    from managers.steered.job_record import JobRecord
    from managers.stream_creation import StreamMaker

_IN_TOPICS: Final = re.compile(r"[A-Za-z0-9._-]+")


def create_log(stream: StreamIdentity, replication_factor: int = BROKER_DEFAULT) -> str:
    """Create an empty stream and say where. Raises `EventLogError`: the stream exists, or the brokers do not answer."""
    with open_maker() as maker:
        maker.create_stream(stream, replication_factor=replication_factor, settings={})
    options = load_settings().kafka
    return "in Postgres" if options is None else f"on {options.place}"


@contextmanager
def open_maker() -> Iterator["StreamMaker"]:
    """What creates streams: on the brokers of the settings, or else in the database."""
    options = load_settings().kafka
    if options is None:
        with open_database(lifts_timeouts=True) as database:
            yield PostgresAdmin(database.connection)
        return
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415

    with KafkaAdmin(options) as admin:
        yield admin


@contextmanager
def open_log(stream_name: str, kind: str | None) -> Iterator[EventLog]:
    """The log of a stream, to append to it. Raises EventLogError if the stream does not exist."""
    options = load_settings().kafka
    if options is not None:
        from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

        with KafkaEventLog(options, identify(stream_name, kind)) as topic:
            yield topic
        return
    with open_database(lifts_timeouts=True) as database, PostgresEventLog(database.connection, stream_name) as log:
        identify(stream_name, kind, log.stream_kind)
        yield log


@contextmanager
def open_lasting_log(stream: StreamIdentity, url: str) -> Iterator[EventLog]:
    """As `open_log`, for a program that runs on after an outage of the database at this URL.

    In Postgres the log is opened again by the call after one that failed, as clients of Kafka connect again.
    """
    if load_settings().kafka is None:
        with DelegatingLog(partial(PostgresEventLog, url, stream.stream_name)) as log:
            yield log
        return
    with open_log(stream.stream_name, stream.stream_kind) as topic:
        yield topic


@contextmanager
def open_source() -> Iterator[EventSource]:
    """All streams of the brokers, or else of the database, whose errors are raised as `DatabaseError`."""
    settings, url = load_settings(), ""
    if settings.kafka is None:
        with open_database() as database:
            url = database.url
    with database_errors(settings), source_of(settings, url) as source:
        yield source


def source_of(settings: Settings, database_url: str) -> AbstractContextManager[EventSource]:
    """All streams of the brokers of the settings, or else of the database. Connects at the first call."""
    if settings.kafka is None:
        from eventlog.postgres.source import PostgresSource  # noqa: PLC0415 (as KafkaSource)

        return PostgresSource(database_url)
    from eventlog.kafka.source import KafkaSource  # noqa: PLC0415

    return KafkaSource(settings.kafka)


@contextmanager
def open_job_record(word: str, *, source: str) -> Iterator["JobRecord"]:
    """Open the record of a job that a Python program runs, ``name/id`` or ``name`` (id 1), on connections of its own.

    Its streams are created where they are missing. After an outage the record can be used again. Raises
    `CoordstreamError`: the name is invalid, or the database cannot be used; `EventLogError`: the brokers do not answer,
    or refuse to create the streams; `JobOfAnotherProgram`.
    """
    from managers.steered.job_record import JobRecord  # noqa: PLC0415 (commands do not need it)

    job = parse_job(word)
    names = coordinator_stream_name(*job), checkpoint_stream_name(*job)
    with open_database(warns=False) as database:
        url = database.url
    with ExitStack() as opened:
        coordinator, checkpoint = (opened.enter_context(_made_log(identify(name), url)) for name in names)
        record = JobRecord(*job, coordinator=coordinator, checkpoint=checkpoint, source=source)
        yield opened.enter_context(record)


def parse_job(word: str) -> Job:
    """The job that a program names: ``name/id``, or ``name`` for id 1. Raises `CoordstreamError`."""
    name, slash, job_id = word.partition("/")
    job = Job(name, job_id if slash else DEFAULT_JOB_ID)
    if not all(map(_IN_TOPICS.fullmatch, job)):
        raise CoordstreamError(
            f'Invalid job "{printable_text(word)}". Expected NAME or NAME/ID, of letters, digits, dots, - and _.'
        )
    return job


def _made_log(stream: StreamIdentity, url: str) -> AbstractContextManager[EventLog]:
    if not is_stream(stream.stream_name):
        with suppress(StreamExists):  # made since by another program
            create_log(stream)
    return open_lasting_log(stream, url)


class JobLogs(NamedTuple):
    """A job's logs, None where it has no such stream. ``job`` is named as its streams are, with ``-`` for ``_``."""

    job: Job
    coordinator: EventLog | None
    checkpoint: EventLog | None
    mirror_prefix: str = ""

    def named_in(self, config: Mapping[str, str]) -> Job:
        """The job as its config names it, or else as its streams do."""
        name = f"{self.mirror_prefix}{config[JOB_NAME]}" if JOB_NAME in config else self.job.name
        return Job(name, config.get(JOB_ID, self.job.id))


@contextmanager
def open_job_logs(word: str) -> Iterator[JobLogs]:
    """Open the logs of the job that a word names: ``name/id``, or ``name`` if only one job has it.

    Raises `UnknownJob`: no job or several jobs have the name; `CoordstreamError`: the brokers have no streams of jobs.
    """
    streams = job_streams(word)
    with ExitStack() as opened:
        logs = {kind: opened.enter_context(open_log(stream.stream_name, kind)) for kind, stream in streams.items()}
        stream = next(iter(streams.values()))
        job = Job(stream.job_name, stream.job_id)
        yield JobLogs(job, logs.get("coordinator"), logs.get("checkpoint"), stream.mirror_prefix)


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
    found = [stream for stream in streams if (stream.job_name, stream.job_id) == job]
    if len({stream.suffix for stream in found}) > 1:
        names = list_names([stream.stream_name for stream in found])
        raise CoordstreamError(f"Two jobs are called {job}: {names}. Use `coordstream log append` with a stream.")
    return {stream.stream_kind: stream for stream in found}


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
