"""Relations of many jobs beside plain tables of the same rows, and questions beside what they return."""

import json
from collections.abc import Callable, Iterator
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

RELATIONS: Final = (*CURRENT_TABLES, "event", "commit_history", "checkpoint_history")
_ALL: Final = sql.SQL("select * from coordinator.{}")
_LIMITED: Final = sql.SQL("select * from coordinator.{} limit 100")
_READ: Final = sql.SQL("explain (analyze, timing off, serialize text) {}")
_PLAIN: Final = sql.SQL("select * from plain_rows")
_EXISTS: Final = "select to_regclass('coordinator.' || %s) is not null"
QUESTIONS: Final = {
    f"a task of {WIDE_PARTITIONS:,} partitions": "select * from coordinator.checkpoint where job_name = 'wide'",
    "the checkpoints of one job": "select * from coordinator.checkpoint where job_name = 'job-0001'",
    "the config of one job": "select * from coordinator.config where job_name = 'job-0001'",
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


class Reads(NamedTuple):
    """What was read of how many jobs, and the seconds that each question takes."""

    jobs: int
    relations: list[Read]
    questions: dict[str, float]


def measure_reads(url: str, jobs: int, say: Callable[[str], None]) -> Reads:
    """Import the jobs, and read their relations."""
    load_jobs(url, jobs)
    with connect(url) as connection:
        reads = []
        for relation in RELATIONS:
            if connection.execute(_EXISTS, (relation,)).fetchone() == (True,):
                say(f"reads: {relation}")
                reads.append(_read(connection, relation))
        return Reads(jobs, reads, {question: _median(connection, query) for question, query in QUESTIONS.items()})


def load_jobs(url: str, jobs: int) -> None:
    """Import as `coordstream import` does."""
    wide = checkpoint_stream_name("wide", "1")
    streams = [(wide, wide_checkpoint), *(stream for n in range(jobs) for stream in _streams(f"job-{n:04}"))]
    with connect(url) as connection:
        for name, read in streams:
            analyze(connection, import_stream(connection, identify(name), read, SETTINGS, system_clock).added)
        connection.execute("vacuum analyze")


def _streams(job: str) -> tuple[tuple[str, Callable[[], Iterator[RecordedEvent]]], ...]:
    return JobLogs(JOB._replace(name=job)).streams()


def wide_checkpoint() -> Iterator[RecordedEvent]:
    """The checkpoint of a task that reads many partitions."""
    value = {
        f"SystemStreamPartition [kafka, wide, {n}]": {
            "system": "kafka", "stream": "wide", "partition": str(n), "offset": str(n * 7)
        }
        for n in range(WIDE_PARTITIONS)
    }  # fmt: skip
    key = checkpoint_topic.encode_key(checkpoint_topic.CheckpointKey("checkpoint", TaskName("Partition 0")))
    yield RecordedEvent(0, START_MS, CREATE_TIME, key, json.dumps(value).encode())


def reads_report(reads: Reads, on: str) -> Lines:
    """All figures, including bad ones."""
    columns = ("all rows", "rows", "ms", "limit, a plain table: ms", "times the limit", "`limit 100`: ms")
    listed = [read for read in reads.relations if read.rows >= LEAST_ROWS]
    return [
        f"{reads.jobs:,} jobs of {JOB.events:,} events ({JOB.tasks} tasks, V1 and V2 of each commit). {on}",
        "",
        *table(columns, map(_row, listed)),
        "",
        *table(("question", "ms"), ((name, f"{1000 * seconds:,.1f}") for name, seconds in reads.questions.items())),
        "",
        *_METHOD,
    ]


def _read(connection: Connection, relation: str) -> Read:
    every = _ALL.format(sql.Identifier(relation))
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("drop table if exists plain_rows")
        cursor.execute(sql.SQL("create unlogged table plain_rows as {}").format(every))
        rows = cursor.rowcount
        cursor.execute("vacuum analyze plain_rows")
        queries = (every, _PLAIN, _LIMITED.format(sql.Identifier(relation)))
        steps = [partial(cursor.execute, _READ.format(query)) for query in queries]
        rounds = [[cost_on(connection, step).seconds for step in steps] for _ in range(ROUNDS)]
    return Read(relation, rows, *map(median, zip(*rounds, strict=True)))


def _median(connection: Connection, query: str) -> float:
    read = _READ.format(sql.SQL(query))
    return median(cost_on(connection, partial(connection.execute, read)).seconds for _ in range(ROUNDS))


def _row(read: Read) -> tuple[str, ...]:
    times = (read.seconds, read.plain_seconds)
    ratio = f"{read.seconds / read.plain_seconds:,.2f}"
    milliseconds = (f"{seconds * 1000:,.1f}" for seconds in times)
    return f"`{read.relation}`", f"{read.rows:,}", *milliseconds, ratio, f"{read.limited_seconds * 1000:,.1f}"
