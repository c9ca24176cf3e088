"""Which log a user means."""

from coordstream.cli.job.lookup import NO_LOGS
from coordstream.errors import CoordstreamError
from eventlog.error_text import did_you_mean
from eventlog.postgres.connection import Connection
from projections.tracked_logs import TrackedLog, logs_of


def find_log(connection: Connection, stream_name: str, incarnation: int | None = None) -> TrackedLog:
    """A stream's log of this incarnation; None: of the current one.

    Raises:
        CoordstreamError: there is no such stream, or no such incarnation of it.
    """
    known = logs_of(connection, stream_name)
    if not known:
        raise CoordstreamError(_unknown(connection, stream_name))
    for log in known:
        if log.incarnation == incarnation or (incarnation is None and log.is_current):
            return log
    numbers = ", ".join(str(log.incarnation) for log in reversed(known))
    raise CoordstreamError(f"{stream_name} has no incarnation {incarnation}: it has {numbers}.")


def _unknown(connection: Connection, stream_name: str) -> str:
    rows = connection.execute("select distinct stream_name from projection.job_log order by 1").fetchall()
    if not rows:
        return NO_LOGS
    names = [name for (name,) in rows]
    listed = ", ".join(names[:10]) + (" and more" if len(names) > 10 else "")
    return f"there is no stream {stream_name!r} in the database: it has {listed}.{did_you_mean(stream_name, names)}"
