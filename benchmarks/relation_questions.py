"""The queries on every relation and as-of function, made from their columns."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from psycopg import sql

from eventlog.postgres.connection import Connection

KINDS: Final = ("large job", "small job", "one task", "ten minutes", "limit 100")
"""Filters: job_name and job_id of the large job, of a small one; a task of the large job; a range of its
``record_time`` or, for a function, nothing; ``limit 100`` without a filter."""

_RELATIONS: Final = """
select c.relname, array_agg(a.attname::text)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
where n.nspname = 'coordinator' and c.relkind = 'v'
group by c.relname order by c.relname
"""
_FUNCTIONS: Final = """
select p.proname, p.proargnames[:p.pronargs], coalesce((
    select array_agg(a.attname::text) from pg_type t join pg_attribute a on a.attrelid = t.typrelid and a.attnum > 0
    where t.oid = p.prorettype), '{}')
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'coordinator' and p.proretset
order by p.proname
"""
_GIVEN: Final = frozenset(
    {"job_name", "job_id", "at", "since", "until", "log_offset", "task_name", "n"}
    | {"system_name", "stream_name", "partition_id", "input_offset"}
)
"""Arguments with a value; the others use their default."""

_JOB: Final = sql.SQL("job_name = %(job_name)s and job_id = %(job_id)s")
_TIME: Final = sql.SQL("record_time >= %(since)s and record_time < %(until)s")
_TASK: Final = sql.SQL("task_name = %(task_name)s")


class Question(NamedTuple):
    """A query about a relation or function; ``kind`` is one of `KINDS`, parameters are by name."""

    relation: str
    kind: str
    query: sql.Composable


def questions(connection: Connection) -> Iterator[Question]:
    """All queries: on each relation, then on each function."""
    for relation, columns in connection.execute(_RELATIONS).fetchall():
        everything = sql.SQL("select * from coordinator.{}").format(sql.Identifier(relation))
        of_job = sql.SQL("{} where {}").format(everything, _JOB)
        yield from _by_job(relation, of_job, "task_name" in columns, "and")
        if "record_time" in columns:
            yield Question(relation, "ten minutes", sql.SQL("{} and {}").format(of_job, _TIME))
        yield Question(relation, "limit 100", sql.SQL("{} limit 100").format(everything))
    for function, arguments, columns in connection.execute(_FUNCTIONS).fetchall():
        given = sql.SQL(", ").join(sql.Placeholder(name) for name in arguments if name in _GIVEN)
        call = sql.SQL("select * from coordinator.{}({})").format(sql.Identifier(function), given)
        yield from _by_job(f"{function}()", call, "task_name" in columns, "where")


def _by_job(relation: str, query: sql.Composable, has_tasks: bool, word: str) -> Iterator[Question]:
    yield Question(relation, "large job", query)
    yield Question(relation, "small job", query)
    if has_tasks:
        yield Question(relation, "one task", sql.SQL("{} {} {}").format(query, sql.SQL(word), _TASK))
