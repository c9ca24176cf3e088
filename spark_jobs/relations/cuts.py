"""Relations as of a time or a log offset: where the logs are cut, and what is read below the cuts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString, NamedTuple

from psycopg import sql

from projections.job_choice import Job
from spark_jobs.relations.jdbc import identifier
from spark_jobs.relations.snapshots import Positions, Snapshot

BUCKET: Final = "read_bucket"
"""The partition column of a read of all jobs: the bucket of the job whose as-of function is called."""

_JOBS: Final = sql.SQL(
    "(SELECT job_name, job_id, min(job_bucket) AS read_bucket FROM projection.job_log GROUP BY job_name, job_id) AS job"
)
_BELOW_CUT: Final = sql.SQL(
    "r.job_name = cut.job_name AND r.job_id = cut.job_id AND r.job_bucket = cut.job_bucket AND CASE r.stream_kind"
    " WHEN 'coordinator' THEN (r.incarnation, r.log_offset) <= (cut.coordinator_incarnation, cut.coordinator_cut)"
    " ELSE (r.incarnation, r.log_offset) <= (cut.checkpoint_incarnation, cut.checkpoint_cut) END"
)
_POSITIONS: Final = sql.SQL(
    "SELECT log.stream_name, log.incarnation, least(end_of.log_offset, position.next_offset - 1) + 1 FROM {cuts}"
    " CROSS JOIN LATERAL (VALUES (cut.coordinator_log, cut.coordinator_cut), (cut.checkpoint_log, cut.checkpoint_cut))"
    " AS end_of (log_id, log_offset)"
    " JOIN projection.job_log AS log ON log.log_id = end_of.log_id"
    " JOIN projection.position AS position ON position.log_id = end_of.log_id"
)


class LogOffset(NamedTuple):
    """An event of one of a job's logs.

    `stream_kind` None: the log from which the job's checkpoints are read. `incarnation` None: the current one.
    """

    log_offset: int
    stream_kind: str | None = None
    incarnation: int | None = None


@dataclass(frozen=True)
class Cut:
    """The logs of a job, or of every job for None, cut at a time (aware) or after an event.

    After an event, the job's other log is cut at the log_time of that event.
    """

    job: Job | None
    at: datetime | LogOffset

    def table(self, function: str, alias: LiteralString, schema: str = "coordinator") -> sql.Composed:
        """The rows that an as-of function returns for the job, or for every job."""
        job = sql.SQL("job.job_name, job.job_id") if self.job is None else _literals(self.job)
        moment = _literals(self.at if isinstance(self.at, LogOffset) else [self.at])
        call = sql.SQL("{}({}, {}) AS {}").format(sql.Identifier(schema, function), job, moment, sql.SQL(alias))
        return call if self.job is not None else sql.SQL("{} CROSS JOIN LATERAL {}").format(_JOBS, call)

    def cuts(self) -> sql.Composed:
        """Where the logs are cut, as a table `cut`."""
        return self.table("job_at_offset" if isinstance(self.at, LogOffset) else "job_at", "cut", "projection")


@dataclass(frozen=True)
class StateAtCut:
    """Columns of a relation at a cut, from its as-of function."""

    name: str
    columns: tuple[str, ...]
    cut: Cut

    def query(self, also: Sequence[str] = ()) -> sql.Composed:
        """The SELECT statement."""
        return _select(self.columns, also, self.cut.table(as_of_function(self.name, self.cut), "r"))


@dataclass(frozen=True)
class HistoryToCut:
    """Columns of a history up to a cut: the rows of the events that are not after it."""

    name: str
    columns: tuple[str, ...]
    cut: Cut

    def query(self, also: Sequence[str] = ()) -> sql.Composed:
        """The SELECT statement."""
        table = sql.SQL("{} JOIN {} AS r ON {}").format(
            self.cut.cuts(), sql.Identifier("coordinator", self.name), _BELOW_CUT
        )
        return _select(self.columns, also, table)


def as_of_function(relation: str, cut: Cut) -> str:
    """The name of the as-of function of a relation."""
    return f"{relation}_as_of_offset" if isinstance(cut.at, LogOffset) else f"{relation}_as_of"


def _literals(values: Iterable[object]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Literal, values))


def _select(columns: Sequence[str], also: Sequence[str], table: sql.Composed) -> sql.Composed:
    names = [*(sql.SQL("r.{}").format(identifier(name)) for name in columns), *map(identifier, also)]
    return sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(names), table)


def find_positions(snapshot: Snapshot, cut: Cut) -> Positions:
    """The position of each log at the cut: the first offset that is not included. Logs without events have none."""
    rows = snapshot.connection.execute(_POSITIONS.format(cuts=cut.cuts())).fetchall()
    return {(name, incarnation): offset for name, incarnation, offset in rows}
