"""A replay: events of several streams through the projector into an empty database, and what it cost."""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

from benchmarks.server import backend_cpu_seconds
from eventlog.connection import Connection, connect
from eventlog.events import RecordedEvent
from eventlog.secrets import SecretPolicy
from eventlog.streams import identify
from projections.fold.settings import FoldSettings
from projections.recording_import import import_stream

ReadEvents = Callable[[], Iterable[RecordedEvent]]

_SETTINGS: Final = FoldSettings(SecretPolicy(b"the benchmark's key"))
_SIZES: Final = """
select sum(pg_relation_size(c.oid)) filter (where n.nspname = 'eventlog' and c.relkind <> 'i'),
       sum(pg_relation_size(c.oid)) filter (where n.nspname = 'eventlog' and c.relkind = 'i'),
       sum(pg_relation_size(c.oid)) filter (where n.nspname = 'projection' and c.relkind <> 'i'),
       sum(pg_relation_size(c.oid)) filter (where n.nspname = 'projection' and c.relkind = 'i')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'i')
"""


class Replay(NamedTuple):
    """What a replay cost: seconds of wall clock, and of CPU by this process and by the server's backend."""

    events: int
    quarantined: int
    seconds: float
    client_seconds: float
    server_seconds: float | None

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds


class Sizes(NamedTuple):
    """Bytes on disk: rows and indexes of the archive and of the projection."""

    archive_rows: int
    archive_indexes: int
    projection_rows: int
    projection_indexes: int


def replay(url: str, streams: Mapping[str, ReadEvents]) -> Replay:
    """Import the streams one after the other, as `coordstream import` does."""
    with connect(url) as connection:
        server_before, client_before = backend_cpu_seconds(connection), time.process_time()
        started = time.perf_counter()
        imported = [
            import_stream(connection, identify(name), read_events, _SETTINGS, lambda: datetime.now(UTC))
            for name, read_events in streams.items()
        ]
        seconds = time.perf_counter() - started
        server_after = backend_cpu_seconds(connection)
        return Replay(
            sum(stream.added for stream in imported),
            sum(stream.quarantined for stream in imported),
            seconds,
            time.process_time() - client_before,
            None if server_before is None or server_after is None else server_after - server_before,
        )


def sizes(connection: Connection) -> Sizes:
    """What a replayed database takes on disk."""
    row = connection.execute(_SIZES).fetchone()
    if row is None:
        raise LookupError("a sum without a row")
    return Sizes(*map(int, row))
