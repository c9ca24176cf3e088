"""Relations and as-of functions with a large job and many small ones: how long a query takes, and what it reads."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from benchmarks.generated_task import INPUT_STREAMS
from benchmarks.relation_data import COMMIT_MS, START_MS, JobLogs, JobSize
from benchmarks.relation_questions import Question, questions
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import identify
from projections.fold.settings import FoldSettings
from projections.planner_statistics import analyze
from projections.recording_import import import_stream

LARGE_JOB: Final = "page-views-by-country"
TASK: Final = "Partition 7"
LONGEST: Final = timedelta(seconds=60)
"""A query that takes longer is cancelled, and reported as such."""

_QUICK_MS: Final = 3_000
_TASKS: Final = 2_000
_SMALL_JOB: Final = JobSize("job-0000", events=3_000, tasks=8, config_keys=100)
_SETTINGS: Final = FoldSettings(SecretPolicy(b"the benchmark's key"))
_EXPLAIN: Final = sql.SQL("explain (analyze, buffers, timing off, format json) ")


class Extent(NamedTuple):
    """The number of events of the large job, and the number of small jobs."""

    events: int
    jobs: int


class Answer(NamedTuple):
    """The figures of a query; None if it was cancelled."""

    question: Question
    milliseconds: float | None
    buffers: int | None
    rows: int | None


def load_jobs(url: str, extent: Extent, say: Callable[[str], None]) -> None:
    """Import the large job, then the others, as `coordstream import` does."""
    large = JobSize(LARGE_JOB, extent.events, _TASKS, config_keys=3_000)
    small = (_SMALL_JOB._replace(name=f"job-{number:04}") for number in range(extent.jobs))
    with connect(url) as connection:
        say(f"importing {extent.events:,} events of a job")
        _import(connection, JobLogs(large))
        say(f"importing {extent.jobs:,} jobs of {_SMALL_JOB.events:,} events")
        for size in small:
            _import(connection, JobLogs(size))
        connection.execute("vacuum analyze")


def measure_relations(url: str, extent: Extent, say: Callable[[str], None]) -> Iterator[Answer]:
    """Run every query, and fast ones twice: the first run reads catalogues and cold pages."""
    with connect(url) as connection:
        connection.execute(f"set statement_timeout = {LONGEST // timedelta(milliseconds=1)}".encode())
        for question in questions(connection):
            parameters = parameters_of(question, extent)
            answer = ask(connection, question, parameters)
            if answer.milliseconds is not None and answer.milliseconds < _QUICK_MS:
                answer = ask(connection, question, parameters)
            say(f"{question.relation}, {question.kind}: {answer.milliseconds or 0:.0f} ms, {answer.buffers} buffers")
            yield answer


def ask(connection: Connection, question: Question, parameters: Mapping[str, Any]) -> Answer:
    """The query's time with planning, and its shared buffers, hit or read."""
    with psycopg.ClientCursor(connection) as cursor:
        try:
            row = cursor.execute(sql.SQL("{}{}").format(_EXPLAIN, question.query), parameters).fetchone()
        except psycopg.errors.QueryCanceled:
            return Answer(question, None, None, None)
    explained = (json.loads(row[0]) if isinstance(row[0], str) else row[0])[0] if row else {}
    plan = explained["Plan"]
    milliseconds = explained["Planning Time"] + explained["Execution Time"]
    buffers = sum(plan[f"{kind} Blocks"] for kind in ("Shared Hit", "Shared Read", "Temp Read"))
    return Answer(question, milliseconds, buffers, int(plan["Actual Rows"]))


def _import(connection: Connection, logs: JobLogs) -> None:
    for name, read_events in (
        (logs.coordinator, logs.coordinator_events),
        (logs.checkpoints, logs.checkpoint_events),
    ):
        imported = import_stream(connection, identify(name), read_events, _SETTINGS, system_clock)
        analyze(connection, imported.added)


def parameters_of(question: Question, extent: Extent) -> dict[str, Any]:
    """The values of a question's parameters."""
    job = _SMALL_JOB.name if question.kind == "small job" else LARGE_JOB
    events, tasks = (_SMALL_JOB.events, _SMALL_JOB.tasks) if question.kind == "small job" else (extent.events, _TASKS)
    half = datetime.fromtimestamp(START_MS / 1000, UTC) + timedelta(milliseconds=events // 4 * COMMIT_MS // tasks)
    return {
        "job_name": job,
        "job_id": "1",
        "task_name": TASK,
        "at": half,
        "since": half,
        "until": half + timedelta(minutes=10),
        "log_offset": events // 2,
        "n": 50,
        "system_name": "kafka",
        "stream_name": INPUT_STREAMS[0],
        "partition_id": 7,
        "input_offset": "0",
    }
