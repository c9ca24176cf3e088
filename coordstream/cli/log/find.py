"""The log that a stream's name and an incarnation refer to."""

from collections.abc import Collection
from typing import Final

from coordstream.errors import CoordstreamError
from eventlog.errors import known_names
from eventlog.postgres.connection import Connection
from projections.job_choice import NO_LOGS
from projections.tracked_logs import TrackedLog, logs_of

_IS_UNREAD: Final = "select from projection.unread_log where stream_name = %s"


def find_log(connection: Connection, stream_name: str, incarnation: int | None = None) -> TrackedLog:
    """The log of a stream's incarnation; None means the current one.

    Raises:
        CoordstreamError: the stream or the incarnation is unknown, or no follower has read the stream yet.
    """
    known = logs_of(connection, stream_name)
    if not known:
        if connection.execute(_IS_UNREAD, (stream_name,)).fetchone() is not None:
            raise CoordstreamError(
                f"{stream_name} has not been followed yet. Run `coordstream follow {stream_name} --once` first."
            )
        raise unknown_stream(stream_name, _names(connection))
    for log in known:
        if log.incarnation == incarnation or (incarnation is None and log.is_current):
            return log
    numbers = ", ".join(str(log.incarnation) for log in reversed(known))
    raise CoordstreamError(f"Stream '{stream_name}' has no incarnation {incarnation}. Known incarnations: {numbers}.")


def unknown_stream(stream_name: str, names: Collection[str]) -> CoordstreamError:
    """An error that lists the known streams."""
    if not names:
        return CoordstreamError(NO_LOGS)
    return CoordstreamError(f"No stream {stream_name!r}.{known_names('streams', stream_name, sorted(names))}")


def _names(connection: Connection) -> list[str]:
    rows = connection.execute("select distinct stream_name from projection.job_log").fetchall()
    return [name for (name,) in rows]
