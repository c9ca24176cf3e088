"""What is read for a relation: a view now, or the form that it has as of a time or a log offset.

At a cut, a current relation is read by its as-of function, and a history up to where its logs are cut.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString, NamedTuple

from psycopg import sql

from eventlog.errors import did_you_mean, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.jdbc import Relation

OTHER_HISTORIES: Final = ("config_change", "event")

_RELATIONS: Final[LiteralString] = """
SELECT c.relname, json_object_agg(a.attname, a.atttypid::regtype::text ORDER BY a.attnum)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'coordinator'::regnamespace AND c.relkind IN ('v', 'r', 'm', 'p') GROUP BY c.relname
"""
_FUNCTIONS: Final[LiteralString] = """
SELECT proname::text FROM pg_catalog.pg_proc
WHERE pronamespace IN ('coordinator'::regnamespace, 'projection'::regnamespace)
"""
_BUCKET: Final = "read_bucket"
"""The partition column of a read of all jobs: the bucket of the job whose as-of function is called."""

_JOBS: Final = sql.SQL(
    "(SELECT job_name, job_id, min(job_bucket) AS read_bucket FROM projection.job_log GROUP BY job_name, job_id) AS job"
)
_LOGS_AT_TIME: Final = sql.SQL(
    "(SELECT l.*, c.last_offset, {time} AS cut_at FROM projection.job_log AS l CROSS JOIN LATERAL"
    " (SELECT projection.retained_cut(l.log_id, x.cut) AS last_offset FROM projection.log_cut(l.log_id, {time}) AS x"
    " WHERE x.cut >= 0 OFFSET 0) AS c WHERE {jobs})"
)
_LOGS_AT_OFFSET: Final = sql.SQL(
    "(SELECT l.*, c.last_offset, t.at AS cut_at FROM {job_at_offset} JOIN projection.job_log AS o ON o.log_id ="
    " CASE {kind} WHEN 'coordinator' THEN j.coordinator_log ELSE coalesce(j.checkpoint_log, j.coordinator_log) END"
    " JOIN projection.job_log AS l ON l.job_name = j.job_name AND l.job_id = j.job_id"
    " AND (l.stream_kind <> o.stream_kind OR l.incarnation <= o.incarnation)"
    " CROSS JOIN LATERAL projection.log_time_at(o.log_id, {log_offset}) AS t CROSS JOIN LATERAL"
    " (SELECT projection.retained_cut(l.log_id, x.cut) AS last_offset FROM (SELECT CASE l.log_id WHEN o.log_id"
    " THEN {log_offset} ELSE y.cut END FROM projection.log_cut(l.log_id, t.at) AS y) AS x (cut)"
    " WHERE x.cut >= 0 OFFSET 0) AS c)"
)
_LOGS_NOW: Final = sql.SQL(
    "(SELECT l.log_id, 9223372036854775807 AS last_offset FROM projection.job_log AS l WHERE {jobs} AND {shown})"
)
_HISTORY: Final = sql.SQL(
    "(SELECT job_name, job_id, job_bucket AS read_bucket, stream_kind, incarnation, last_offset, cut_at"
    " FROM {logs} AS log) AS cut JOIN {relation} AS r ON r.job_name = cut.job_name AND r.job_id = cut.job_id"
    " AND r.job_bucket = cut.read_bucket AND r.stream_kind = cut.stream_kind AND r.incarnation = cut.incarnation"
    " AND coalesce(r.log_offset <= cut.last_offset, r.record_time <= cut.cut_at)"
)
_CURRENT_LOGS: Final = sql.SQL(
    "(SELECT end_of.log_id, end_of.last_offset FROM {cuts} CROSS JOIN LATERAL"
    " (VALUES (cut.coordinator_log, cut.coordinator_cut), (cut.checkpoint_log, cut.checkpoint_cut))"
    " AS end_of (log_id, last_offset))"
)
SHARES: Final = sql.SQL(
    "SELECT count(*) * {step}, percentile_disc(ARRAY[{shares}]) WITHIN GROUP (ORDER BY log_offset)"
    " FROM (SELECT r.log_offset FROM {source}) AS row WHERE mod(log_offset, {step}) = 0"
)
"""About how many rows there are, and the last offset of each share of them: counted at every ``step``-th offset."""

POSITIONS: Final = sql.SQL(
    "SELECT log.stream_name, log.incarnation, least(cut.last_offset, position.next_offset - 1) + 1 AS next_offset,"
    " log.log_id FROM {logs} AS cut JOIN projection.job_log AS log ON log.log_id = cut.log_id"
    " JOIN projection.position AS position ON position.log_id = cut.log_id"
)
_ENDS: Final = sql.SQL(
    "SELECT array_agg(log_id ORDER BY log_id), array_agg(next_offset ORDER BY log_id), {at} FROM ({positions}) AS log"
)


class LogOffset(NamedTuple):
    """An event of one of a job's logs.

    `stream_kind` None: the log from which the job's checkpoints are read. `incarnation` None: the current one.
    """

    log_offset: int
    stream_kind: str | None = None
    incarnation: int | None = None


class LogEnds(NamedTuple):
    """What a read showed: some logs, each up to its next offset, and `at`, the time at which expiry is judged."""

    log_ids: Sequence[int]
    next_offsets: Sequence[int]
    at: datetime


@dataclass(frozen=True)
class Cut:
    """The logs of a job, or of every job for None, cut at a time (aware) or after an event; or those of a read.

    After an event, the job's other logs are cut at the log_time of that event.
    """

    job: Job | None
    at: datetime | LogOffset | LogEnds

    @property
    def form(self) -> tuple[str, str]:
        """How the names of the functions for such a cut end, and what a message calls it."""
        if isinstance(self.at, LogEnds):
            return "_as_read", "again"
        return ("_as_of_offset", "as of a log offset") if isinstance(self.at, LogOffset) else ("_as_of", "as of a time")

    def table(self, function: str, alias: LiteralString, schema: str = "coordinator") -> sql.Composed:
        """The rows that an as-of function returns for the job, or for every job."""
        if isinstance(self.at, LogEnds):
            template = sql.SQL("projection.{}({}::integer[], {}::bigint[], {}) AS {}")
            return template.format(sql.Identifier(function), *self.at, sql.SQL(alias))
        job = sql.SQL("job.job_name, job.job_id") if self.job is None else sql.SQL(", ").join(self.job)
        moment = sql.SQL(", ").join(self.at if isinstance(self.at, LogOffset) else [self.at])
        call = sql.SQL("{}({}, {}) AS {}").format(sql.Identifier(schema, function), job, moment, sql.SQL(alias))
        return call if self.job is not None else sql.SQL("{} CROSS JOIN LATERAL {}").format(_JOBS, call)

    def current_logs(self) -> sql.Composed:
        """Where a state is cut: the newest log of each kind at the cut, with its `last_offset`."""
        function = "job_at_offset" if isinstance(self.at, LogOffset) else "job_at"
        return _CURRENT_LOGS.format(cuts=self.table(function, "cut", "projection"))

    def all_logs(self) -> sql.Composed:
        """Where a history is cut: each log that had begun, with its `last_offset` and the time `cut_at`.

        The log of an event has no newer incarnations at the cut, whatever their times are.
        """
        if isinstance(self.at, LogEnds):
            return sql.SQL("(SELECT * FROM {})").format(self.table("receipt_log", "log"))
        if isinstance(self.at, LogOffset):
            return _LOGS_AT_OFFSET.format(
                job_at_offset=self.table("job_at_offset", "j", "projection"),
                kind=self.at.stream_kind,
                log_offset=sql.SQL("{}::bigint").format(self.at.log_offset),
            )
        return _LOGS_AT_TIME.format(time=self.at, jobs=_of_job("l", self.job))


def positions_query(relation: str, cut: Cut) -> sql.Composed:
    """The logs that a relation shows at a cut: stream, incarnation, next offset, log_id. Logs without events: none."""
    is_whole = is_history(relation) or isinstance(cut.at, LogEnds)
    return POSITIONS.format(logs=cut.all_logs() if is_whole else cut.current_logs())


def ends_query(relation: str, job: Job | None, cut: Cut | None) -> sql.Composed:
    """One row with the `LogEnds` of a read of a job, or of every job for None, now or at a cut."""
    if cut is None:
        shown = sql.SQL("true" if is_history(relation) else "l.is_current")
        positions = POSITIONS.format(logs=_LOGS_NOW.format(jobs=_of_job("l", job), shown=shown))
        return _ENDS.format(at=sql.SQL("now()"), positions=positions)
    at: sql.Composable = sql.Literal(cut.at)
    if isinstance(cut.at, LogOffset):
        at = sql.SQL("(SELECT max(cut_at) FROM {} AS log)").format(cut.all_logs())
    return _ENDS.format(at=at, positions=positions_query(relation, cut))


def _of_job(table: LiteralString, job: Job | None) -> sql.Composable:
    """The condition that a row is one of the job; true for None."""
    if job is None:
        return sql.SQL("true")
    return sql.SQL("{t}.job_name = {} AND {t}.job_id = {}").format(*job, t=sql.SQL(table))


@dataclass(frozen=True)
class Catalogue:
    """The columns of each relation in schema `coordinator` with their types, and the names of the functions there."""

    relations: Mapping[str, Mapping[str, str]]
    functions: Collection[str]

    @classmethod
    def of(cls, connection: Connection) -> "Catalogue":
        relations: list[tuple[str, dict[str, str]]] = connection.execute(_RELATIONS).fetchall()
        functions = connection.execute(_FUNCTIONS).fetchall()
        return cls(dict(relations), {name for (name,) in functions})

    def rows(self, name: str, columns: Sequence[str] | None, job: Job | None, cut: Cut | None) -> Relation:
        """What to read for a relation: the wanted columns (all for None) of a job (all for None), now or at a cut.

        Raises SparkJobError for an unknown relation or column, and for a relation that has no form as of a cut.
        """
        wanted, relation = self._columns(name, columns), sql.Identifier("coordinator", name)
        times = [column for column, kind in self.relations[name].items() if kind == "timestamp with time zone"]
        if cut is None:
            return Relation(wanted, sql.SQL("{} AS r WHERE {}").format(relation, _of_job("r", job)), times)
        suffix, kind = cut.form
        if name + suffix in self.functions:
            bucket = "job_bucket" if isinstance(cut.at, LogEnds) else _BUCKET
            return Relation(wanted, cut.table(name + suffix, "r"), times, bucket)
        if is_history(name):
            return Relation(wanted, _HISTORY.format(logs=cut.all_logs(), relation=relation), times, _BUCKET)
        others = [one for one in self.relations if one + suffix in self.functions or is_history(one)]
        raise SparkJobError(f'Relation "{name}" cannot be read {kind}. These can: {_all(others)}.')

    def _columns(self, name: str, columns: Sequence[str] | None) -> tuple[str, ...]:
        if name not in self.relations:
            known = f"{did_you_mean(name, self.relations)} Relations: {_all(self.relations)}."
            raise SparkJobError(f'Unknown relation "{printable_text(name)}".{known}')
        known_columns = self.relations[name]
        wanted = tuple(known_columns if columns is None else columns)
        for column in wanted:
            if column not in known_columns:
                known = f"{did_you_mean(column, known_columns)} Columns: {', '.join(known_columns)}."
                raise SparkJobError(f'Relation "{name}" has no column "{printable_text(column)}".{known}')
        return wanted


def is_history(name: str) -> bool:
    """Whether a row of the relation is an event, so that the rows up to a cut are those of the events up to it."""
    return name.endswith("_history") or name in OTHER_HISTORIES


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
