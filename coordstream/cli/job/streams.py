"""Which stream is a job's own, where streams are kept."""

from collections.abc import Iterable

from coordstream.cli.event_logs import open_source
from coordstream.errors import CoordstreamError
from eventlog.streams import (
    COORDINATOR_PREFIX,
    DEFAULT_JOB_ID,
    StreamIdentity,
    coordinator_stream_name,
    identify,
)


def coordinator_stream_of(word: str) -> str:
    """The coordinator stream of the job that a word names, ``name/id`` or ``name``; it need not be there.

    Raises:
        CoordstreamError: several jobs have the name.
    """
    with open_source() as source:
        return chosen_stream(source.stream_names(), word)


def chosen_stream(stream_names: Iterable[str], word: str) -> str:
    """As `coordinator_stream_of`, of these streams; a name without an id that none has is that of job 1."""
    name, slash, job_id = word.partition("/")
    if slash:
        return coordinator_stream_name(name, job_id)
    first = coordinator_stream_name(name, DEFAULT_JOB_ID)
    streams = [identify(each) for each in stream_names if each.startswith(COORDINATOR_PREFIX)]
    found = [stream for stream in streams if stream.job_name == identify(first).job_name]
    if len(found) > 1:
        raise CoordstreamError(f"{word!r} names several jobs: write one of {_listed(found)}.")
    return found[0].stream_name if found else first


def _listed(streams: list[StreamIdentity]) -> str:
    return ", ".join(f"{stream.job_name}/{stream.job_id}" for stream in streams)
