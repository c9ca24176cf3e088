"""A replay: the projector applies events of several streams to an empty database."""

import resource
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from benchmarks.backends import OtherBackends
from benchmarks.server import backend_cpu_seconds
from eventlog.events import RecordedEvent
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamIdentity, identify
from projections.fold.settings import FoldSettings
from projections.import_worker import ImportJob
from projections.parallel_import import import_streams
from projections.recording_import import Imported, finish_imports, import_stream

ReadEvents = Callable[[], Iterable[RecordedEvent]]
Streams = Mapping[str, Sequence[RecordedEvent]]
"""Events in memory by stream."""

SETTINGS: Final = FoldSettings(SecretPolicy(b"the benchmark's key"))
_SIZES: Final = """
select sum(pg_relation_size(c.oid)) filter (where n.nspname = 'eventlog' and c.relkind <> 'i'),
       sum(pg_relation_size(c.oid)) filter (where n.nspname = 'eventlog' and c.relkind = 'i'),
       sum(pg_relation_size(c.oid)) filter (where n.nspname = 'projection' and c.relkind <> 'i'),
       sum(pg_relation_size(c.oid)) filter (where n.nspname = 'projection' and c.relkind = 'i')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'i')
"""


class Replay(NamedTuple):
    """Seconds of wall clock, and CPU seconds of our processes and the server's processes for them."""

    events: int
    quarantined: int
    seconds: float
    client_seconds: float
    server_seconds: float | None

    @property
    def rate(self) -> float:
        """Events per second."""
        return self.events / self.seconds


class Sizes(NamedTuple):
    """Bytes on disk: rows and indexes of the archive and of the projection."""

    archive_rows: int
    archive_indexes: int
    projection_rows: int
    projection_indexes: int


def replay(url: str, streams: Mapping[str, ReadEvents], *, finishes: bool = True) -> Replay:
    """Import the streams one after the other, as `coordstream import` does; it ``finishes`` with `finish_imports`."""
    with connect(url) as connection:
        server_before, client_before = backend_cpu_seconds(connection), time.process_time()
        started = time.perf_counter()
        imported = [
            import_stream(connection, identify(name), read_events, SETTINGS, system_clock)
            for name, read_events in streams.items()
        ]
        if finishes:
            finish_imports(connection, sum(one.added for one in imported))
        seconds = time.perf_counter() - started
        server_after = backend_cpu_seconds(connection)
        server = None if server_before is None or server_after is None else server_after - server_before
        return _replay(imported, seconds, time.process_time() - client_before, server)


def replay_at_once(
    url: str,
    streams: Mapping[str, ReadEvents],
    counts: Mapping[str, int],
    processes: int,
    *,
    on_progress: Callable[[], None] = lambda: None,
) -> Replay:
    """Import ``processes`` streams at a time, as `coordstream import` does; ``counts`` has their event counts."""
    jobs = [ImportJob(identify(name), read_events, counts[name]) for name, read_events in streams.items()]
    with connect(url) as connection:
        backends = OtherBackends(connection)

        def look(_stream: StreamIdentity, _events: int) -> None:
            backends.look()
            on_progress()

        client_before, started = _client_seconds(), time.perf_counter()
        imported = import_streams(url, jobs, SETTINGS, processes, on_progress=look)
        finish_imports(connection, sum(one.added for one in imported))
        seconds = time.perf_counter() - started
        return _replay(imported, seconds, _client_seconds() - client_before, backends.cpu_seconds())


def _client_seconds() -> float:
    """CPU time of this process and its ended children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _replay(imported: Sequence[Imported], seconds: float, client: float, server: float | None) -> Replay:
    added, quarantined = sum(one.added for one in imported), sum(one.quarantined for one in imported)
    return Replay(added, quarantined, seconds, client, server)


def sizes(connection: Connection) -> Sizes:
    """The disk space of a replayed database."""
    row = connection.execute(_SIZES).fetchone()
    if row is None:
        raise LookupError("a sum without a row")
    return Sizes(*map(int, row))
