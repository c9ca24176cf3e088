"""Reads logs from the archive, without a JDBC driver."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import psycopg
from psycopg.errors import InsufficientPrivilege, InvalidSchemaName, UndefinedTable

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import read_archive
from eventlog.postgres.archive_comparison import horizon_offset
from eventlog.postgres.connection import Connection, connect, failure_line, server_reason
from spark_jobs.data_source.log_range import Log, LogRange
from spark_jobs.data_source.options import SourceOptions
from spark_jobs.errors import SparkJobError

if TYPE_CHECKING:
    import pyarrow as pa

APPLICATION_NAME: Final = "coordstream spark"

_STREAMS: Final = "select distinct stream_name from eventlog.log"
_LOGS: Final = """
select l.stream_name, l.stream_kind, l.incarnation, l.log_id, l.topic_id, coalesce(first.log_offset, 0),
       coalesce(last.log_offset + 1, 0),
       coalesce((select max(h.horizon_offset) from eventlog.horizon h where h.log_id = l.log_id), 0)
from eventlog.log l
left join lateral (
  select e.log_offset from eventlog.event e where e.log_id = l.log_id order by e.log_offset limit 1) first on true
left join lateral (
  select e.log_offset from eventlog.event e where e.log_id = l.log_id order by e.log_offset desc limit 1) last on true
where l.stream_name = any(%s)
order by l.stream_name, l.incarnation
"""


class ArchiveReader:
    """See `LogReader`. The logs are all incarnations of the streams."""

    def __init__(self, database_url: str) -> None:
        with _archive_errors():
            self._connection: Connection = connect(database_url, application_name=APPLICATION_NAME)

    def logs(self, options: SourceOptions) -> list[LogRange]:
        """See `LogReader.logs`."""
        with _archive_errors():
            names = {name for (name,) in self._connection.execute(_STREAMS) if options.matches(name)}
            if missing := options.missing(names):
                raise SparkJobError(f"The archive has no stream '{missing[0]}'. Check the name, or follow it first.")
            rows = self._connection.execute(_LOGS, (sorted(names),)).fetchall()
        return [
            LogRange(Log(name, kind, incarnation, log_id, topic_id, horizon=horizon), first, until)
            for name, kind, incarnation, log_id, topic_id, first, until, horizon in rows
        ]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`."""
        with _archive_errors():
            yield from read_archive(self._connection, _log_id(wanted), wanted.first, wanted.until)
            self._require_same_horizon(wanted)

    def read_stored(self, wanted: LogRange) -> "Iterator[Mapping[str, pa.Array]]":
        """The raw columns of a range as Arrow arrays; see `read_stored_columns`."""
        from spark_jobs.data_source.stored_columns import read_stored_columns  # noqa: PLC0415 (loads Arrow)

        with _archive_errors():
            yield from read_stored_columns(self._connection, _log_id(wanted), wanted.first, wanted.until)
            self._require_same_horizon(wanted)

    def _require_same_horizon(self, wanted: LogRange) -> None:
        """Raise SparkJobError if a retention may have detached events of the range after it was planned."""
        if wanted.log.horizon < horizon_offset(self._connection, _log_id(wanted)) > wanted.first:
            raise SparkJobError(
                f"A retention has detached events of {wanted.log.stream_name} while they were read. Read them again."
            )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _log_id(wanted: LogRange) -> int:
    if wanted.log.log_id is None:
        raise ValueError(f"{wanted.log.stream_name} is not a log of the archive")
    return wanted.log.log_id


@contextmanager
def _archive_errors() -> Iterator[None]:
    """Raise errors of Postgres as SparkJobError, without any value."""
    try:
        yield
    except InsufficientPrivilege:
        raise SparkJobError(
            "This database user may not read the archive. Grant the user the role coordstream_replayer, or read the "
            "relation 'event', which has the decoded keys without values."
        ) from None
    except (UndefinedTable, InvalidSchemaName):
        raise SparkJobError("No coordstream schema in this database. Run `coordstream db migrate`.") from None
    except psycopg.ProgrammingError as error:
        if error.sqlstate is None:  # an invalid URL; the message may contain the password
            raise SparkJobError("Invalid database URL. Expected postgresql://user:password@host/name.") from None
        raise SparkJobError(f"Cannot read the archive: {server_reason(error)}.") from None
    except psycopg.Error as error:
        reason = server_reason(error) or failure_line(error)
        raise SparkJobError(f"Cannot read the archive ({reason}). Check the database URL and the server.") from None
