"""A process that rebuilds a log and stops before one of its statements, to be killed there.

Arguments: database URL, stream name, and the number of the statement. Prints the backend's pid when it stops, or
`done` if the rebuild has fewer statements, and then waits on standard input.
"""

import sys
from typing import Any

from eventlog.postgres.connection import Connection, connect
from projections.rebuild import rebuild_log
from projections.tracked_logs import logs_of
from tests.properties.importing import SETTINGS

BATCH_EVENTS = 40


class StoppingConnection:
    """Passes everything to a connection, and stops before a statement."""

    def __init__(self, connection: Connection, stop_before: int) -> None:
        self._connection = connection
        self._left = stop_before

    def __getattr__(self, name: str) -> Any:
        """What the connection has under this name."""
        return getattr(self._connection, name)

    def execute(self, *arguments: Any, **options: Any) -> Any:
        """Execute a statement, unless it is the one to stop before."""
        self._left -= 1
        if self._left == 0:
            stop(str(self._connection.info.backend_pid))
        return self._connection.execute(*arguments, **options)


def stop(line: str) -> None:
    """Print a line and wait to be killed."""
    print(line, flush=True)
    sys.stdin.read()
    sys.exit("this process was not killed")


def main(database_url: str, stream_name: str, stop_before: str) -> None:
    """Rebuild the stream's log."""
    with connect(database_url) as connection:
        log = logs_of(connection, stream_name)[0]
        stopping: Any = StoppingConnection(connection, int(stop_before))
        rebuild_log(stopping, log, SETTINGS, batch_events=BATCH_EVENTS)
        stop("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
