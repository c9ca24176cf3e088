"""Queries on the relations, now or at a moment. Times are texts in ISO 8601, UTC."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import sql
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.rows import dict_row

from eventlog.errors import printable_text
from eventlog.log import system_clock
from eventlog.partition import SystemStreamPartition, natural_order
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

Row = dict[str, Any]

PARTITION: Final = ("system_name", "stream_name", "partition_id", "key_bucket")
"""The columns that identify an input partition."""

MOST_CHARACTERS: Final = 200

_OF_JOB: Final = sql.SQL("select h.* from {source} h where h.job_name = %(name)s and h.job_id = %(id)s")
_FIRST_EVENT: Final = """
select to_char(min(f.log_time) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')
from projection.job_log l
cross join lateral (
  select t.log_time from projection.log_time t where t.log_id = l.log_id order by t.log_offset limit 1) f
where %(name)s::text is null or l.job_name = %(name)s and l.job_id = %(id)s
having min(f.log_time) > %(time)s
"""


@dataclass(frozen=True)
class Cut:
    """A time, or now if it is None."""

    time: datetime | None = None

    def __str__(self) -> str:
        return "" if self.time is None else f" as of {self.time:%Y-%m-%d %H:%M:%S} UTC"

    def clock(self) -> datetime:
        """The time that ages are relative to."""
        return self.time or system_clock()


NOW: Final = Cut()


class IsoTimeLoader(Loader):
    """Loads timestamptz as ISO 8601 text: Postgres has times after the year 9999, Python's datetime does not."""

    def load(self, data: Buffer) -> str:
        """``2026-01-31T12:00:00.5Z``, given the output of a session in UTC."""
        return bytes(data).decode().replace(" ", "T", 1).replace("+00", "Z", 1)


def rows_of(columns: Sequence[str], values: Iterable[Sequence[Any]]) -> list[Row]:
    """Rows from their values, in the order of the columns."""
    return [dict(zip(columns, row, strict=True)) for row in values]


def fetch(connection: Connection, query: sql.Composable, values: Mapping[str, Any] | None = None) -> list[Row]:
    """All rows of a query, as dictionaries by column name."""
    with connection.cursor(row_factory=dict_row) as cursor:
        cursor.adapters.register_loader("timestamptz", IsoTimeLoader)
        return cursor.execute(query.as_bytes(connection), values).fetchall()


def state(connection: Connection, relation: str, job: Job, cut: Cut, **equal: Any) -> list[Row]:
    """The rows of a state relation now, or of its as-of function at a cut.

    ``equal`` has values of columns to filter by; None does not filter.
    """
    return fetch(connection, of_job(relation, cut) + conditions(equal), {**cut_values(job, cut), **equal})


def of_job(relation: str, cut: Cut) -> sql.Composed:
    """The query of `state`, without conditions; its parameters are `cut_values`."""
    if cut.time is None:
        return _OF_JOB.format(source=sql.Identifier("coordinator", relation))
    function = sql.Identifier("coordinator", f"{relation}_as_of")
    return _OF_JOB.format(source=sql.SQL("{}(%(name)s, %(id)s, %(time)s)").format(function))


def cut_values(job: Job, cut: Cut) -> Row:
    """A job at a cut as parameters of a query."""
    return {**job_values(job), "time": cut.time}


def conditions(equal: Mapping[str, Any]) -> sql.Composable:
    """Conditions to append to a where clause on ``h``; a list matches any of its values, None matches all rows."""
    parts = [
        sql.SQL(" and h.{} = any({})" if isinstance(value, list) else " and h.{} = {}").format(
            sql.Identifier(column), sql.Placeholder(column)
        )
        for column, value in equal.items()
        if value is not None
    ]
    return sql.Composed(parts)


def input_partition(row: Row) -> str:
    """The input partition of a row, such as ``kafka.page-views.3``."""
    if row["partition_id"] is None:
        return "no partition"
    bucket = row.get("key_bucket")
    spelt = f"{row['system_name']}.{row['stream_name']}.{row['partition_id']}"
    return spelt if bucket in (None, -1) else f"{spelt} (keys {bucket})"


def partition_values(partition: SystemStreamPartition) -> tuple[str, str, int, int]:
    """The values of the columns `PARTITION`."""
    return partition.system, partition.stream, partition.partition, partition.key_bucket


def partition_columns(partition: SystemStreamPartition) -> Row:
    """A partition as columns, with the names in `PARTITION`."""
    return dict(zip(PARTITION, partition_values(partition), strict=True))


def grouped(rows: Iterable[Row], *columns: str) -> defaultdict[tuple[Any, ...], list[Row]]:
    """The rows by their values of some columns, in their order; none for values that no row has."""
    found = defaultdict[tuple[Any, ...], list[Row]](list)
    for row in rows:
        found[tuple(row[name] for name in columns)].append(row)
    return found


def printable(value: Any, most: int | None = MOST_CHARACTERS) -> str:
    """A value on one line: control characters are escaped, and it is cut after ``most`` characters."""
    if value is None:
        return "–"
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    shown = text if most is None or len(text) <= most else f"{text[: most - 1]}…"
    return printable_text(shown)


def task_and_partition(row: Row) -> tuple[Any, ...]:
    """A key to sort rows by their task, as people count (2 before 10), and input partition."""
    return natural_order(row["task_name"]), *(row[name] for name in PARTITION)


def job_values(job: tuple[str, str] | None) -> Row:
    """A job as parameters of a query; nulls for all jobs."""
    name, job_id = job or (None, None)
    return {"name": name, "id": job_id}


def outside(connection: Connection, job: Job | None, cut: Cut) -> str:
    """A sentence if the cut is before the first event of a job, or of all jobs, or in the future by the server's clock;
    or else an empty string."""
    if cut.time is None:
        return ""
    first = connection.execute(_FIRST_EVENT, {**job_values(job), "time": cut.time}).fetchone()
    if first is not None:
        whose = "The database" if job is None else f"Job {job}"
        return f"{whose} has no events{cut}. Its first event is from {first[0]} UTC."
    is_future = connection.execute("select clock_timestamp() < %s", (cut.time,)).fetchone() == (True,)
    return f"{cut.time:%Y-%m-%d %H:%M:%S} UTC is in the future. This is the state now." if is_future else ""
