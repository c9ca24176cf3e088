"""CPU time of the server's processes that serve other connections."""

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
    """Backends that start and end during a measurement; the postmaster's statistics include them after they ended."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._postmaster = parent_of(connection.info.backend_pid)
        self._before = ended_children_cpu_seconds(self._postmaster)
        self._seen: set[int] = set()

    def look(self) -> None:
        """Remember the current backends; call it at least once while all exist."""
        self._seen.update(pid for (pid,) in self._connection.execute(_OTHERS))

    def cpu_seconds(self) -> float | None:
        """CPU time of all backends that ended since the start; waits for those that were seen. None: unknown."""
        if self._before is None:
            return None
        while any(Path(f"/proc/{pid}").exists() for pid in self._seen):
            time.sleep(_POLL_SECONDS)
        after = ended_children_cpu_seconds(self._postmaster)
        return None if after is None else after - self._before
