"""Reads a relation job by job, a few jobs at each scrape: for all jobs at once, some relations take minutes."""

from collections.abc import Callable, Hashable, Mapping
from time import monotonic
from typing import Final, NamedTuple

from psycopg import sql
from psycopg.errors import QueryCanceled

from coordstream.queries.rows import Row, fetch
from eventlog.postgres.connection import Connection

JobKey = tuple[str, str]
"""The name and the id of a job."""

BUDGET_SECONDS: Final = 2.0
SLOW_SECONDS: Final = 600.0
"""How long a job is left out whose query took longer than a query may: it would delay each scrape by that time."""


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
        self._slow_until: dict[JobKey, float] = {}
        self.waiting: int = 0
        """How many jobs the last call left for later ones: they have older rows, or none."""

    def read(self, connection: Connection, versions: Mapping[JobKey, Hashable]) -> list[Row]:
        """The rows of these jobs, at least one of them read now if any has another version than before.

        Called in a transaction.
        """
        self._turns = {job: turn for job, turn in self._turns.items() if job in versions}
        self._slow_until = {job: until for job, until in self._slow_until.items() if job in versions}
        changed = [job for job, version in versions.items() if self._version(job) != version]
        self.waiting = len(changed)
        started = self._clock()
        for job in sorted(
            filter(lambda job: self._slow_until.get(job, started) <= started, changed), key=self._read_at
        ):
            self._take_turn(connection, job, versions[job])
            if self._clock() >= started + self._budget_seconds:
                break
        return [row for turn in self._turns.values() for row in turn.rows]

    def _take_turn(self, connection: Connection, job: JobKey, version: Hashable) -> None:
        """Read a job. One whose query is cancelled, because it takes too long, keeps its older rows."""
        try:
            with connection.transaction():
                rows = fetch(connection, self._query, {"job_name": job[0], "job_id": job[1]})
        except QueryCanceled:
            self._slow_until[job] = self._clock() + SLOW_SECONDS
        else:
            self._slow_until.pop(job, None)
            self._turns[job] = _Turn(version, self._clock(), list(rows))
            self.waiting -= 1

    def _version(self, job: JobKey) -> Hashable:
        turn = self._turns.get(job)
        return object() if turn is None else turn.version

    def _read_at(self, job: JobKey) -> float:
        turn = self._turns.get(job)
        return float("-inf") if turn is None else turn.read_at
