"""Every relation, for a large job among small ones, compared with a plain table of the same rows."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from statistics import median
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from benchmarks.document import Lines, table
from benchmarks.processes import cost_on
from benchmarks.relation_data import JobLogs, JobSize
from benchmarks.replay import SETTINGS
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from projections.planner_statistics import analyze
from projections.recording_import import import_stream

LARGE_JOB: Final = "page-views-by-country"
TASKS: Final = 2_000
SMALL_JOB: Final = JobSize("job-0000", events=3_000, tasks=8, config_keys=100)
LONGEST: Final = timedelta(seconds=60)
"""A query that takes longer is cancelled, and reported as such."""
LISTED: Final = 0.01
"""Queries that take less than these seconds are left out of the report."""
ROUNDS: Final = 3

_RELATIONS: Final = """
select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'coordinator' and c.relkind = 'v' order by c.relname
"""
_OF_JOB: Final = sql.SQL("select * from coordinator.{} where job_name = {} and job_id = '1'")
_READ: Final = sql.SQL("explain (analyze, timing off, serialize text) {}")
_PLAIN: Final = sql.SQL("select * from plain_rows")
_METHOD: Final = (
    "All rows of the large job with their conversion to text, and the same rows ready-made in a table without an",
    f"index, by turns, medians of {ROUNDS} rounds. No relation can be read faster.",
)


class Extent(NamedTuple):
    """The number of events of the large job, and the number of small jobs."""

    events: int
    jobs: int


class Answer(NamedTuple):
    """How long all rows of a relation take, and the same rows of a plain table; None: cancelled."""

    relation: str
    rows: int
    seconds: float | None
    table_seconds: float | None


def load_jobs(url: str, extent: Extent) -> None:
    """Import the large job, then the others, as `coordstream import` does."""
    large = JobSize(LARGE_JOB, extent.events, TASKS, config_keys=3_000)
    small = (SMALL_JOB._replace(name=f"job-{number:04}") for number in range(extent.jobs))
    with connect(url) as connection:
        for logs in map(JobLogs, (large, *small)):
            for name, read in logs.streams():
                analyze(connection, import_stream(connection, identify(name), read, SETTINGS, system_clock).added)
        connection.execute("vacuum analyze")


def measure_relations(url: str, say: Callable[[str], None]) -> Iterator[Answer]:
    """Read each relation, and the same rows from a plain table."""
    with connect(url) as connection:
        connection.execute(f"set statement_timeout = {LONGEST // timedelta(milliseconds=1)}".encode())
        for (relation,) in connection.execute(_RELATIONS).fetchall():
            say(relation)
            query = _OF_JOB.format(sql.Identifier(relation), LARGE_JOB)
            try:
                yield _by_turns(connection, f"`{relation}`", query)
            except psycopg.errors.QueryCanceled:
                yield Answer(relation, 0, None, None)


def relations_report(answers: list[Answer], extent: Extent, on: str) -> Lines:
    """All figures of queries that are not quick, including bad ones."""
    slow = [one for one in answers if one.seconds is None or one.seconds >= LISTED]
    return [
        f"A job of {extent.events:,} events ({TASKS:,} tasks, V1 and V2 of each commit, four inputs), and",
        f"{extent.jobs:,} jobs of {SMALL_JOB.events:,}. {on}",
        f"The other {len(answers) - len(slow)} relations take less than {LISTED * 1000:.0f} ms.",
        "",
        *table(
            ("all rows of the large job", "rows", "ms", "limit, a plain table: ms", "times the limit"), map(_row, slow)
        ),
        "",
        *_METHOD,
    ]


def _by_turns(connection: Connection, relation: str, query: sql.Composed) -> Answer:
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("drop table if exists plain_rows")
        cursor.execute(sql.SQL("create unlogged table plain_rows as {}").format(query))
        rows = cursor.rowcount
        cursor.execute("vacuum analyze plain_rows")
        steps = [partial(cursor.execute, _READ.format(one)) for one in (query, _PLAIN)]
        rounds = [[cost_on(connection, step).seconds for step in steps] for _ in range(ROUNDS)]
        return Answer(relation, rows, *map(median, zip(*rounds, strict=True)))


def _row(answer: Answer) -> tuple[str, ...]:
    if answer.seconds is None or answer.table_seconds is None:
        return answer.relation, "", f"over {LONGEST.seconds} s", "", ""
    milliseconds = (f"{seconds * 1000:,.1f}" for seconds in (answer.seconds, answer.table_seconds))
    return answer.relation, f"{answer.rows:,}", *milliseconds, f"{answer.seconds / answer.table_seconds:,.1f}"
