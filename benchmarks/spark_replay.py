"""Replay and reads on Spark, each beside what it is compared with, in turns."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from pyspark.sql import SparkSession

from benchmarks.relation_data import JobLogs, JobSize
from benchmarks.server import BenchmarkServer
from benchmarks.user_pipeline import run_user_pipeline
from coordstream.cli.recording.import_command import check_parts
from coordstream.settings import load_settings
from eventlog.postgres.connection import connect
from eventlog.recordings.recording import write_recording
from eventlog.secrets.secret_policy import SecretPolicy
from projections.fold.settings import FoldSettings
from projections.import_worker import ImportJob
from projections.parallel_import import import_streams
from spark_jobs.coordinator_stream.recording_files import find_files
from spark_jobs.executors.work import WorkSettings
from spark_jobs.relations.reader import RelationReader
from spark_jobs.replay.replay import check_recordings, replay
from spark_jobs.session.builder import build_session, jar_conf
from spark_jobs.session.jars import postgres_driver

EVENTS_A_LOG: Final = 1_000
CORES: Final = 2
_SETTINGS: Final = FoldSettings(SecretPolicy(b"the benchmark's key"))
_QUERY: Final = "select * from coordinator.checkpoint_history"

Say = Callable[[str], None]
Step = Callable[[str], None]
"""Works on the database with this URL."""


class SparkFigures(NamedTuple):
    """Seconds: of the start with a first replay, of a replay of a tenth of the events, of each round of the others.

    ``pipelines`` and ``full_pipelines``: a user's pipeline, without and with histories. ``copies`` and ``reads``: of
    ``read_rows`` rows of a history.
    """

    events: int
    few_events: int
    logs: int
    start: float
    few: float
    imports: Sequence[float]
    replays: Sequence[float]
    pipelines: Sequence[float]
    full_pipelines: Sequence[float]
    copies: Sequence[float]
    reads: Sequence[float]
    read_rows: int


def measure_spark(server: BenchmarkServer, events: int, rounds: int, say: Say) -> SparkFigures:
    """Measure with about ``events`` events in logs of `EVENTS_A_LOG` on average, and with a tenth of them."""
    with TemporaryDirectory(prefix="coordstream-bench-") as home:
        few, many = Path(home) / "few", Path(home) / "many"
        say(f"spark: generating {events:,} events")
        few_events, events = _generate(few, events // 10), _generate(many, events)
        began = time.perf_counter()
        spark = _session()
        try:
            bench = _Bench(server, spark, rounds, say)
            bench.once("warm_up", bench.replay_of(few))
            start = time.perf_counter() - began
            imports, replays = bench.beside("import", "replay", lambda url: _import(url, many), bench.replay_of(many))
            few_seconds = bench.once("few", bench.replay_of(few))
            plain, full = bench.beside("user", "user_full", bench.pipeline_of(many), bench.pipeline_of(many, full=True))
            with server.database("reads") as url:
                _replay(spark, url, many)
                copies, reads, rows = _reads(spark, url, rounds)
        finally:
            spark.stop()
        logs = len(list(many.iterdir()))
        return SparkFigures(
            events, few_events, logs, start, few_seconds, imports, replays, plain, full, copies, reads, rows
        )


class _Bench(NamedTuple):
    """Times steps, each on a new database."""

    server: BenchmarkServer
    spark: SparkSession
    rounds: int
    say: Say

    def once(self, name: str, step: Step) -> float:
        self.say(f"spark: {name}")
        with self.server.database(name, migrated=not name.startswith("user")) as url:
            return _seconds(lambda: step(url))

    def beside(self, name: str, other: str, step: Step, other_step: Step) -> tuple[list[float], list[float]]:
        """Seconds of two steps in turns."""
        pairs = [(self.once(name, step), self.once(other, other_step)) for _ in range(self.rounds)]
        return [first for first, _ in pairs], [second for _, second in pairs]

    def replay_of(self, folder: Path) -> Step:
        return lambda url: _replay(self.spark, url, folder)

    def pipeline_of(self, folder: Path, *, full: bool = False) -> Step:
        return lambda url: run_user_pipeline(self.spark, url, folder, histories=full)


def _generate(folder: Path, events: int) -> int:
    """Write a file for each log; return the number of events."""
    folder.mkdir()
    count = 0
    for number in range(max(events // (2 * EVENTS_A_LOG), 1)):
        logs = JobLogs(JobSize(f"job-{number:05}", 2 * EVENTS_A_LOG, 16, 150))
        streams = ((logs.coordinator, logs.coordinator_events()), (logs.checkpoints, logs.checkpoint_events()))
        for name, records in streams:
            file = folder / f"{name.lstrip('_')}.jsonl"  # Spark's own readers leave out names that begin with "_"
            count += write_recording(file, ((name, event) for event in records))
    return count


def _session() -> SparkSession:
    jar = postgres_driver(load_settings().jar_cache, os.environ)
    spark = build_session("benchmark", {"spark.master": f"local[{CORES}]", **jar_conf(jar)})
    spark.range(1).collect()
    return spark


def _seconds(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def _import(url: str, folder: Path) -> None:
    """As `coordstream import --processes 2` does it."""
    with check_parts(sorted(folder.iterdir()), None) as parts:
        jobs = [ImportJob(part.stream, part.events, part.count) for part in parts]
        import_streams(url, jobs, _SETTINGS, CORES)


def _replay(spark: SparkSession, url: str, folder: Path) -> None:
    settings = WorkSettings(url, _SETTINGS)
    with connect(url) as connection:
        replay(spark, connection, check_recordings(spark, find_files(str(folder)), settings), settings)


def _reads(spark: SparkSession, url: str, rounds: int) -> tuple[list[float], list[float], int]:
    """Seconds of a raw COPY of a history on one connection, and of a read of it in one snapshot, by round; the rows."""
    reader = RelationReader(lambda: url)
    copies, reads, rows = [], [], 0
    for _ in range(rounds):
        copies.append(_seconds(lambda: _copy(url)))
        with reader.snapshot(spark):
            history = reader.read_relation(spark, "checkpoint_history", partitions=CORES)
            reads.append(_seconds(history.write.format("noop").mode("overwrite").save))
            rows = history.count()
    return copies, reads, rows


def _copy(url: str) -> None:
    with connect(url) as connection, connection.cursor().copy(f"copy ({_QUERY}) to stdout".encode()) as rows:
        for _ in rows:
            pass
