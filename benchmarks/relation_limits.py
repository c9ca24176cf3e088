"""All rows of a large history, and the same rows ready-made in a plain table: what does the relation itself cost?"""

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from benchmarks.relations import Answer, Extent, parameters_of
from benchmarks.server import backend_cpu_seconds
from eventlog.postgres.connection import Connection, connect

ROUNDS: Final = 3
_READ: Final = sql.SQL("explain (analyze, timing off, serialize text) ")
_PLAIN: Final = sql.SQL("select * from plain_rows")


class Reading(NamedTuple):
    """Seconds that passed and seconds of CPU in the server, medians of all rounds."""

    seconds: float
    cpu_seconds: float


class Limit(NamedTuple):
    """Reading all rows of a relation for the large job, and reading the same rows from a plain table."""

    relation: str
    rows: int
    of_relation: Reading
    of_table: Reading


def measure_limits(url: str, answers: Sequence[Answer], extent: Extent, say: Callable[[str], None]) -> Iterator[Limit]:
    """Measure each relation that has at least a row for every second event of the large job."""
    with connect(url) as connection:
        connection.execute("set max_parallel_workers_per_gather = 0")  # CPU is that of the connection's backend
        for question, _, _, rows in answers:
            if question.kind == "large job" and rows is not None and rows >= extent.events // 2:
                say(f"{question.relation}: {rows:,} rows, and the same from a plain table")
                yield Limit(
                    question.relation, rows, *_by_turns(connection, question.query, parameters_of(question, extent))
                )


def _by_turns(connection: Connection, query: sql.Composable, parameters: dict[str, Any]) -> tuple[Reading, Reading]:
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("drop table if exists plain_rows")
        cursor.execute(sql.SQL("create unlogged table plain_rows as {}").format(query), parameters)
        cursor.execute("vacuum analyze plain_rows")
        rounds = [(_read(cursor, query, parameters), _read(cursor, _PLAIN, {})) for _ in range(ROUNDS)]
        cursor.execute("drop table plain_rows")
    of_relation, of_table = zip(*rounds, strict=True)
    return _medians(of_relation), _medians(of_table)


def _read(cursor: psycopg.ClientCursor[Any], query: sql.Composable, parameters: dict[str, Any]) -> Reading:
    cpu_before, before = backend_cpu_seconds(cursor.connection) or 0.0, time.monotonic()
    cursor.execute(sql.SQL("{}{}").format(_READ, query), parameters)
    return Reading(time.monotonic() - before, (backend_cpu_seconds(cursor.connection) or 0.0) - cpu_before)


def _medians(readings: Sequence[Reading]) -> Reading:
    return Reading(median(each.seconds for each in readings), median(each.cpu_seconds for each in readings))
