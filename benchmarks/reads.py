"""Relations of many jobs beside plain tables of the same rows, and questions beside what they return."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import median
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from benchmarks.document import Lines, table
from benchmarks.generator import START_MS
from benchmarks.processes import cost_on
from benchmarks.relation_data import JobLogs, JobSize
from benchmarks.replay import SETTINGS
from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.log import system_clock
from eventlog.partition import TaskName
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import checkpoint_stream_name, identify
from eventlog.wire import checkpoint_topic
from projections.planner_statistics import analyze
from projections.recording_import import import_stream
from projections.relations import CURRENT_TABLES

JOB: Final = JobSize("job-0000", events=3_000, tasks=16, config_keys=100)
WIDE_PARTITIONS: Final = 20_000
ROUNDS: Final = 5
LEAST_ROWS: Final = 1_000
"""Relations with fewer rows are left out: the time of their query is that of its plan."""

RELATIONS: Final = (*CURRENT_TABLES.keys() - {"pending_startpoint"}, "event", "commit_history", "checkpoint_history")
_ALL: Final = sql.SQL("select * from coordinator.{}")
_LIMITED: Final = sql.SQL("select * from coordinator.{} limit 100")
_READ: Final = sql.SQL("explain (analyze, timing off, serialize text) {}")
_PLAIN: Final = sql.SQL("select * from plain_rows")
QUESTIONS: Final = {
    f"a task of {WIDE_PARTITIONS:,} partitions": "select * from coordinator.checkpoint where job_name = 'wide'",
    "the fingerprint of one job": "select * from coordinator.fingerprint('job-0001', '1')",
    "the anomalies of one job": "select * from coordinator.anomaly where job_name = 'job-0001' and job_id = '1'",
    "the anomalies of all jobs": "select * from coordinator.anomaly",
}
_METHOD: Final = (
    "All rows of all jobs with their conversion to text, and the same rows ready-made in a table without an index, by",
    f"turns: time of the server with the plan, medians of {ROUNDS} rounds; the first 100 rows and questions likewise.",
)


class Read(NamedTuple):
    """Seconds that all rows of a relation take, the same rows of a plain table, and the first 100."""

    relation: str
    rows: int
    seconds: float
    plain_seconds: float
    limited_seconds: float


def measure_reads(url: str, jobs: int, say: Callable[[str], None]) -> tuple[list[Read], dict[str, float]]:
    """Import the jobs, and read their relations; also the seconds that each question takes."""
    load_jobs(url, jobs)
    with connect(url) as connection:
        say("reading")
        reads = [_read(connection, relation) for relation in RELATIONS]
        steps = {name: _step(psycopg.ClientCursor(connection), sql.SQL(query)) for name, query in QUESTIONS.items()}
        questions = {
            name: median(cost_on(connection, step).seconds for _ in range(ROUNDS)) for name, step in steps.items()
        }
        return sorted(reads), questions


def load_jobs(url: str, jobs: int, size: JobSize = JOB) -> None:
    """Import as `coordstream import` does."""
    small = (JobLogs(size._replace(name=f"job-{number:04}")).streams() for number in range(jobs))
    wide = checkpoint_stream_name("wide", "1"), wide_checkpoint
    with connect(url) as connection:
        for name, read in (wide, *(stream for streams in small for stream in streams)):
            analyze(connection, import_stream(connection, identify(name), read, SETTINGS, system_clock).added)
        connection.execute("vacuum analyze")


def wide_checkpoint() -> Iterator[RecordedEvent]:
    """The checkpoint of a task that reads many partitions."""
    names = {"system": "kafka", "stream": "wide"}
    partitions = range(WIDE_PARTITIONS)
    value = {
        f"SystemStreamPartition [kafka, wide, {n}]": {**names, "partition": str(n), "offset": str(n * 7)}
        for n in partitions
    }
    key = checkpoint_topic.encode_key(checkpoint_topic.CheckpointKey("checkpoint", TaskName("Partition 0")))
    yield RecordedEvent(0, START_MS, CREATE_TIME, key, json.dumps(value).encode())


def reads_report(reads: list[Read], questions: Mapping[str, float], jobs: int, on: str) -> Lines:
    """All figures, including bad ones."""
    columns = ("all rows", "rows", "ms", "limit, a plain table: ms", "times the limit", "`limit 100`: ms")
    return [
        f"{jobs:,} jobs of {JOB.events:,} events ({JOB.tasks} tasks, V1 and V2 of each commit). {on}",
        "",
        *table(columns, (_row(read) for read in reads if read.rows >= LEAST_ROWS)),
        "",
        *table(("question", "ms"), ((name, f"{1000 * seconds:,.1f}") for name, seconds in questions.items())),
        "",
        *_METHOD,
    ]


def _step(cursor: "psycopg.ClientCursor[tuple[object, ...]]", query: sql.Composable) -> Callable[[], object]:
    return partial(cursor.execute, _READ.format(query))


def _read(connection: Connection, relation: str) -> Read:
    every = _ALL.format(sql.Identifier(relation))
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("drop table if exists plain_rows")
        cursor.execute(sql.SQL("create unlogged table plain_rows as {}").format(every))
        rows = cursor.rowcount
        cursor.execute("vacuum analyze plain_rows")
        steps = [_step(cursor, query) for query in (every, _PLAIN, _LIMITED.format(sql.Identifier(relation)))]
        rounds = [[cost_on(connection, step).seconds for step in steps] for _ in range(ROUNDS)]
    return Read(relation, rows, *map(median, zip(*rounds, strict=True)))


def _row(read: Read) -> tuple[str, ...]:
    milliseconds = (f"{seconds * 1000:,.1f}" for seconds in (read.seconds, read.plain_seconds))
    ratio = f"{read.seconds / read.plain_seconds:,.2f}"
    return f"`{read.relation}`", f"{read.rows:,}", *milliseconds, ratio, f"{read.limited_seconds * 1000:,.1f}"
