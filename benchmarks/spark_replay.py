"""Replay and reads on Spark, each beside what it is compared with, in turns."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from pyspark.sql import SparkSession

from benchmarks.cost import Cost, measure_cost
from benchmarks.server import BenchmarkServer
from benchmarks.spark_recordings import CORES, SETTINGS, generate_recordings, replay_recordings, start_session
from benchmarks.user_pipeline import require_same_rows, run_user_pipeline
from coordstream.cli.recording.import_command import check_parts
from eventlog.postgres.connection import connect
from projections.import_worker import ImportJob
from projections.parallel_import import import_streams
from projections.recording_import import finish_imports
from spark_jobs.relations.reader import RelationReader

_COPY: Final = "copy (select * from coordinator.checkpoint_history) to stdout"
_COUNT: Final = "select count(*) from coordinator.checkpoint_history"

Say = Callable[[str], None]
Step = Callable[[str], None]
"""Works on the database with this URL."""


class SparkFigures(NamedTuple):
    """The cost of each round of a replay, and of what it is compared with.

    ``pipelines`` and ``full_pipelines``: a user's pipeline, with current rows only, and with archive and histories.
    ``copies``, ``parsed_copies`` and ``reads``: of ``read_rows`` rows of a history.
    """

    events: int
    logs: int
    imports: Sequence[Cost]
    replays: Sequence[Cost]
    pipelines: Sequence[Cost]
    full_pipelines: Sequence[Cost]
    copies: Sequence[Cost]
    parsed_copies: Sequence[Cost]
    reads: Sequence[Cost]
    read_rows: int


def measure_spark(server: BenchmarkServer, events: int, rounds: int, say: Say) -> SparkFigures:
    """Measure with about ``events`` events, after a round with a tenth of them that is not counted."""
    with TemporaryDirectory(prefix="coordstream-bench-") as home:
        few, many = Path(home) / "few", Path(home) / "many"
        say(f"spark: generating {events:,} events")
        generate_recordings(few, events // 10)
        events = generate_recordings(many, events)
        spark = start_session()
        try:
            bench = _Bench(server, spark, say)
            bench.round_of(few)
            steps = map(list, zip(*(bench.round_of(many) for _ in range(rounds)), strict=True))
            imports, replays, pipelines, full_pipelines = steps
            with server.database("reads") as url:
                replay_recordings(spark, url, many)
                copies, parsed, reads, rows = bench.reads(url, rounds)
        finally:
            spark.stop()
        logs = len(list(many.iterdir()))
        return SparkFigures(
            events, logs, imports, replays, pipelines, full_pipelines, copies, parsed, reads, read_rows=rows
        )


class _Bench(NamedTuple):
    """Measures steps, each on a new database."""

    server: BenchmarkServer
    spark: SparkSession
    say: Say

    def round_of(self, folder: Path) -> tuple[Cost, Cost, Cost, Cost]:
        """An import, a replay, a user's pipeline with current rows, and with archive and histories."""
        self.say(f"spark: {folder.name} events, a round")
        with self.server.database("import") as url:
            imported = measure_cost(self.server, lambda: _import(url, folder))
        with self.server.database("replay") as url, self.server.database("user", migrated=False) as other:
            replayed = measure_cost(self.server, lambda: replay_recordings(self.spark, url, folder))
            full = self._pipeline(other, folder, histories=True)
            require_same_rows(url, other)
        with self.server.database("user_current", migrated=False) as url:
            return imported, replayed, self._pipeline(url, folder, histories=False), full

    def reads(self, url: str, rounds: int) -> tuple[list[Cost], list[Cost], list[Cost], int]:
        """A raw COPY of a history on one connection, its rows in Python, and a read in one snapshot; how many rows."""
        costs = [self._reads(url) for _ in range(rounds + 1)][1:]
        with connect(url) as connection:
            (rows,) = connection.execute(_COUNT).fetchall()[0]
        copies, parsed, reads = map(list, zip(*costs, strict=True))
        return copies, parsed, reads, rows

    def _pipeline(self, url: str, folder: Path, *, histories: bool) -> Cost:
        return measure_cost(self.server, lambda: run_user_pipeline(self.spark, url, folder, histories=histories))

    def _reads(self, url: str) -> tuple[Cost, Cost, Cost]:
        self.say("spark: reads, a round")
        return (
            measure_cost(self.server, lambda: _copy(url)),
            measure_cost(self.server, lambda: _copy(url, is_parsed=True)),
            measure_cost(self.server, lambda: _read(self.spark, url)),
        )


def _import(url: str, folder: Path) -> None:
    """As `coordstream import --processes 2` does it."""
    with check_parts(sorted(folder.iterdir()), None) as parts:
        jobs = [ImportJob(part.stream, part.events, part.count) for part in parts]
        imported = import_streams(url, jobs, SETTINGS, CORES)
    with connect(url) as connection:
        finish_imports(connection, sum(one.added for one in imported))


def _copy(url: str, *, is_parsed: bool = False) -> None:
    with connect(url) as connection, connection.cursor().copy(_COPY) as copied:
        for _ in copied.rows() if is_parsed else copied:
            pass


def _read(spark: SparkSession, url: str) -> None:
    reader = RelationReader(lambda: url)
    with reader.snapshot(spark):
        history = reader.read_relation(spark, "checkpoint_history", partitions=CORES)
        history.write.format("noop").mode("overwrite").save()
