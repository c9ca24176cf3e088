"""The log that a stream's name and an incarnation refer to."""

from coordstream.cli.job.lookup import NO_LOGS
from coordstream.errors import CoordstreamError
from eventlog.error_text import did_you_mean
from eventlog.postgres.connection import Connection
from projections.tracked_logs import TrackedLog, logs_of


def find_log(connection: Connection, stream_name: str, incarnation: int | None = None) -> TrackedLog:
    """The log of a stream's incarnation; None means the current one.

    Raises:
        CoordstreamError: the stream or the incarnation is unknown.
    """
    known = logs_of(connection, stream_name)
    if not known:
        raise CoordstreamError(_unknown(connection, stream_name))
    for log in known:
        if log.incarnation == incarnation or (incarnation is None and log.is_current):
            return log
    numbers = ", ".join(str(log.incarnation) for log in reversed(known))
    raise CoordstreamError(f"Stream '{stream_name}' has no incarnation {incarnation}. Known incarnations: {numbers}.")


def _unknown(connection: Connection, stream_name: str) -> str:
    rows = connection.execute("select distinct stream_name from projection.job_log order by 1").fetchall()
    if not rows:
        return NO_LOGS
    names = [name for (name,) in rows]
    listed = ", ".join(names[:10]) + (" and more" if len(names) > 10 else "")
    return f"No stream {stream_name!r}.{did_you_mean(stream_name, names)} Known streams: {listed}."
