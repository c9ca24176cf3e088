"""JobLock: one coordinator per job, by a lock in the database that Postgres frees when the process ends."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psycopg

from coordstream.errors import CoordstreamError
from eventlog.errors import printable_text
from eventlog.postgres.connection import Connection
from projections.stream_lock import COORDINATOR_LOCK, StreamLocks


class CoordinatorRunning(CoordstreamError):
    """Another process coordinates the job."""

    def __init__(self, job: str, holder: str) -> None:
        super().__init__(
            f"{printable_text(job)} already has a coordinator: {holder}. Stop it first, or use --wait to take over "
            "when it ends."
        )


class JobTakenOver(CoordstreamError):
    """Another process may have coordinated the job while this one did not have the lock."""


class JobLock:
    """The lock of a job, on a connection of its own. Not thread-safe."""

    def __init__(self, connect: Callable[[], Connection], job: str, stream_name: str) -> None:
        self._connect: Final = connect
        self._job: Final = job
        self._name: Final = f"{COORDINATOR_LOCK}{stream_name}"
        self._connection: Connection | None = None
        self._locks: StreamLocks | None = None
        self._is_taken = False

    def take(self) -> bool:
        """Take the lock if it is free. Raises psycopg.Error if the database does not answer."""
        if self._locks is None:
            self._connection = self._connect()
            self._locks = StreamLocks(self._connection)
        self._is_taken = self._locks.take(self._name)
        return self._is_taken

    def require(self) -> bool:
        """Raise `CoordinatorRunning` unless this process has the lock; return whether it had to be taken (again).

        Raises psycopg.Error if the database does not answer.
        """
        if self._locks is not None and self._is_taken:
            with suppress(psycopg.OperationalError):
                self._locks.check()
                return False
        self.close()
        if not self.take():
            raise CoordinatorRunning(self._job, self.holder())
        return True

    def holder(self) -> str:
        """Who has the lock, in words, and whether it is silent."""
        found = None if self._locks is None else self._locks.holder(self._name)
        if found is None:
            return "another process"
        return f"{found}, {found.silence}" if found.is_silent else str(found)

    def close(self) -> None:
        """Close the connection, which releases the lock."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._locks = None
        self._is_taken = False
