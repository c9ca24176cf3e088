"""Reads a relation job by job, a few jobs at each scrape: for all jobs at once, some relations take minutes."""

from collections.abc import Callable, Hashable, Mapping
from time import monotonic
from typing import Final, NamedTuple

from psycopg import sql

from coordstream.cli.query.rows import Row, fetch
from eventlog.postgres.connection import Connection

JobKey = tuple[str, str]
"""The name and the id of a job."""

BUDGET_SECONDS: Final = 2.0


class _Turn(NamedTuple):
    version: Hashable
    read_at: float
    rows: list[Row]


class InTurns:
    """The rows of a query about one job, for all jobs.

    A job is read again when its version has changed, those that were read longest ago first, until the time of a call
    is used up. Not thread-safe.
    """

    def __init__(
        self, query: sql.SQL, *, budget_seconds: float = BUDGET_SECONDS, clock: Callable[[], float] = monotonic
    ) -> None:
        """``query`` has the parameters ``job_name`` and ``job_id``."""
        self._query: Final = query
        self._budget_seconds: Final = budget_seconds
        self._clock: Final = clock
        self._turns: dict[JobKey, _Turn] = {}
        self.waiting: int = 0
        """How many jobs the last call left for later ones: they have older rows, or none."""

    def read(self, connection: Connection, versions: Mapping[JobKey, Hashable]) -> list[Row]:
        """The rows of these jobs, at least one of them read now if any has another version than before."""
        self._turns = {job: turn for job, turn in self._turns.items() if job in versions}
        changed = [job for job, version in versions.items() if self._version(job) != version]
        changed.sort(key=self._read_at)
        self.waiting = len(changed)
        deadline = self._clock() + self._budget_seconds
        for job in changed:
            rows = fetch(connection, self._query, {"job_name": job[0], "job_id": job[1]})
            self._turns[job] = _Turn(versions[job], self._clock(), list(rows))
            self.waiting -= 1
            if self._clock() >= deadline:
                break
        return [row for turn in self._turns.values() for row in turn.rows]

    def _version(self, job: JobKey) -> Hashable:
        turn = self._turns.get(job)
        return object() if turn is None else turn.version

    def _read_at(self, job: JobKey) -> float:
        turn = self._turns.get(job)
        return float("-inf") if turn is None else turn.read_at
