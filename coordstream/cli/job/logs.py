"""The two logs of a job, opened where streams are kept, for who writes checkpoints."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from coordstream.cli.database import open_database
from coordstream.cli.event_logs import open_log, open_source
from coordstream.cli.job.lookup import DATABASE, Job, choose_job
from coordstream.settings import load_settings
from eventlog.log import EventLog
from eventlog.postgres.log_registry import stream_identities
from eventlog.streams import StreamIdentity, StreamKind, identify


class JobLogs(NamedTuple):
    """A job's logs; None: it has no such stream. ``job`` is named as its streams are, with ``-`` for ``_``."""

    job: Job
    coordinator: EventLog | None
    checkpoint: EventLog | None


@contextmanager
def open_job_logs(word: str) -> Iterator[JobLogs]:
    """The logs of the job that a word names: ``name/id``, or ``name`` where only one job has it.

    Raises:
        CoordstreamError: there is no such job, or more than one.
    """
    kafka = load_settings().kafka
    streams = streams_of(known_streams(), word, DATABASE if kafka is None else kafka.place)
    with ExitStack() as opened:
        logs = {stream.stream_kind: opened.enter_context(_open(stream)) for stream in streams}
        name, job_id = streams[0].job_name, streams[0].job_id
        yield JobLogs(Job(name, job_id), logs.get("coordinator"), logs.get("checkpoint"))


def streams_of(streams: Sequence[StreamIdentity], word: str, place: str = DATABASE) -> list[StreamIdentity]:
    """The one or two streams of the job that a word names, among these of a place."""
    jobs = {Job(stream.job_name, stream.job_id) for stream in streams}
    job = choose_job(sorted(jobs), word.replace("_", "-"), place)
    found: dict[StreamKind, StreamIdentity] = {}
    for stream in streams:
        if (stream.job_name, stream.job_id) == job:
            found[stream.stream_kind] = stream
    return list(found.values())


def known_streams() -> list[StreamIdentity]:
    """All streams of the place where streams are kept, also those of recordings."""
    if load_settings().kafka is not None:
        with open_source() as source:
            return [identify(name) for name in source.stream_names()]
    with open_database() as database:
        return stream_identities(database.connection)


@contextmanager
def _open(stream: StreamIdentity) -> Iterator[EventLog]:
    with open_log(stream.stream_name, stream.stream_kind, takes_many=False) as log:
        yield log
