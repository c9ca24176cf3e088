"""A fleet: the jobs of a database copied many times by SQL, so that a question about one of them stands beside many."""

from typing import Final

from eventlog.postgres.connection import Connection

_TABLES: Final = """
select format('%I.%I', n.nspname, c.relname), c.relname,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'observation_id')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'p') and not c.relispartition
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'log_id')
order by 1
"""
_RENAMED: Final = {"log": ("stream_name", "topic_id"), "job_log": ("stream_name", "job_suffix", "job_name")}
"""Columns that name a log or a job, by table."""


def copy_jobs(connection: Connection, copies: int) -> None:
    """Copy every job of the database several times under other names, then run ANALYZE."""
    ((step,),) = connection.execute("select max(log_id) from eventlog.log").fetchall()
    with connection.transaction():
        for table, name, columns in connection.execute(_TABLES).fetchall():
            shown = ", ".join(_copied(column, _RENAMED.get(name, ()), step) for column in columns)
            statement = (
                f"insert into {table} ({', '.join(columns)}) overriding system value"
                f" select {shown} from {table} cross join generate_series(1, {copies}) as copy"
            )
            connection.execute(statement.encode())
    connection.execute("vacuum analyze")


def _copied(column: str, renamed: tuple[str, ...], step: int) -> str:
    if column == "log_id":
        return f"log_id + {step} * copy"
    return f"{column} || '-copy-' || copy" if column in renamed else column
