"""What the server's processes cost that serve other connections than ours, and end with them."""

import time
from pathlib import Path
from typing import Final

from benchmarks.processes import ended_children_cpu_seconds, parent_of
from eventlog.postgres.connection import Connection

_OTHERS: Final = """
select pid from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
_POLL_SECONDS: Final = 0.01


class OtherBackends:
    """Backends that come and go meanwhile, as the server's first process knows when it has buried them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._postmaster = parent_of(connection.info.backend_pid)
        self._before = ended_children_cpu_seconds(self._postmaster)
        self._seen: set[int] = set()

    def look(self) -> None:
        """See which there are; to be called once at least while they all are there."""
        self._seen.update(pid for (pid,) in self._connection.execute(_OTHERS))

    def cpu_seconds(self) -> float | None:
        """CPU time of all that have ended since the beginning; waits for those that were seen. None: unknown."""
        if self._before is None:
            return None
        while any(Path(f"/proc/{pid}").exists() for pid in self._seen):
            time.sleep(_POLL_SECONDS)
        after = ended_children_cpu_seconds(self._postmaster)
        return None if after is None else after - self._before
