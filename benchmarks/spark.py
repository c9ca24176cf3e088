"""Replay and reads on Spark, and the lake, each beside what it is compared with, in turns."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final, NamedTuple

import pyarrow as pa
from deltalake import write_deltalake
from pyspark.sql import SparkSession

from benchmarks.document import Lines, ratios, spread, table
from benchmarks.processes import Cost, cost_of_all
from benchmarks.relation_data import JobLogs, JobSize
from benchmarks.replay import SETTINGS, replay_recordings
from benchmarks.servers import BenchmarkServer
from eventlog.postgres.connection import connect
from eventlog.recording import write_recording
from spark_jobs.lake.archive import archive
from spark_jobs.lake.table import EVENTS, STREAM
from spark_jobs.log_task import LogTaskSettings, run_here
from spark_jobs.recordings import check_recordings, find_files
from spark_jobs.relations.reader import RelationReader
from spark_jobs.replay import replay
from spark_jobs.session import build_session, driver_conf

EVENTS_A_LOG: Final = 1_000
CORES: Final = 2
REPLAY: Final = "`spark replay`"
IMPORT: Final = "import in one process"
COPY: Final = "raw COPY, one connection"
READ: Final = "`read_relation` in a snapshot"
PLAIN: Final = "the columns read and passed to `write_deltalake`"
LAKE: Final = "`export --lake`"

_COPY: Final = "copy (select * from coordinator.checkpoint_history) to stdout"
_COUNT: Final = "select count(*) from coordinator.checkpoint_history"
_EVENTS: Final = """
select l.stream_name, l.incarnation, l.stream_kind, e.log_offset, e.record_time,
       (extract(epoch from e.record_time) * 1000)::bigint, e.timestamp_type, e.leader_epoch, e.headers::text, e.key,
       e.value, e.archived_at
from eventlog.event e join eventlog.log l using (log_id) order by l.stream_name, l.incarnation, e.log_offset
"""
_METHOD: Final = (
    "How: `benchmarks/relation_data.py` says what the events are; each log is a file of JSON lines, which the replay",
    "reads twice, first to check it. COPY and the read are the same query, with all columns. Raw COPY throws the bytes",
    "away; the read is `read_relation` in one snapshot, two partitions, into Spark's rows. Postgres shares the cores.",
    "A lake is written without Spark, by one process, to a new folder each time.",
)


class SparkCosts(NamedTuple):
    """The costs of each round, by what was done: with events, and with rows of a history."""

    events: int
    replays: dict[str, list[Cost]]
    lakes: dict[str, list[Cost]]
    rows: int
    reads: dict[str, list[Cost]]


def measure_spark(server: BenchmarkServer, events: int, rounds: int, say: Callable[[str], None]) -> SparkCosts:
    """Measure with about ``events`` events, after a round with a tenth of them that is not counted."""
    with TemporaryDirectory(prefix="coordstream-bench-") as home:
        few, many = Path(home) / "few", Path(home) / "many"
        say(f"spark: generating {events:,} events")
        generate_recordings(few, events // 10)
        events = generate_recordings(many, events)
        spark = _start_session()
        try:
            _replays(server, spark, few, 1, say)
            replays = _replays(server, spark, many, rounds, say)
            with server.database("reads") as url:
                _replay(spark, url, many)
                compare = partial(costs_in_turns, server, rounds, say)
                lakes = compare({PLAIN: partial(_write_plainly, url, home), LAKE: partial(_export, url, home)})
                reads = compare({COPY: partial(_copy, url), READ: partial(_read, spark, url)})
                with connect(url) as connection:
                    (rows,) = connection.execute(_COUNT).fetchall()[0]
        finally:
            spark.stop()
        return SparkCosts(events, replays, lakes, rows, reads)


def generate_recordings(folder: Path, events: int) -> int:
    """Write a file for each log, with `EVENTS_A_LOG` events on average; return the number of events."""
    folder.mkdir()
    count = 0
    for number in range(max(events // (2 * EVENTS_A_LOG), 1)):
        logs = JobLogs(JobSize(f"job-{number:05}", 2 * EVENTS_A_LOG, 16, 150))
        for name, read in logs.streams():
            file = folder / f"{name.lstrip('_')}.jsonl"  # Spark's own readers leave out names that begin with "_"
            count += write_recording(file, ((name, event) for event in read()))
    return count


def spark_report(costs: SparkCosts, on: str) -> Lines:
    """All figures, including bad ones, and how they were measured."""
    compared = (
        ("events to relations", "events/s", "the import", costs.events, costs.replays, IMPORT),
        ("events to a lake", "events/s", "the plain write", costs.events, costs.lakes, PLAIN),
        (f"{costs.rows:,} rows of checkpoint_history", "rows/s", "raw COPY", costs.rows, costs.reads, COPY),
    )
    lines = [
        f"{costs.events:,} generated events in logs of {EVENTS_A_LOG:,}, `local[{CORES}]`; medians (least to most).",
        f"Rounds in turns: {len(costs.replays[REPLAY])}. {on}",
        "",
    ]
    for what, unit, peer, count, each, limit in compared:
        lines += [*table((what, unit, f"speed beside {peer}", "by CPU time"), compared_with(limit, count, each)), ""]
    return [*lines, *_METHOD]


def _replays(
    server: BenchmarkServer, spark: SparkSession, folder: Path, rounds: int, say: Callable[[str], None]
) -> dict[str, list[Cost]]:
    """An import and a replay of each round, each into a new database."""
    steps: dict[str, Callable[[str], object]] = {
        IMPORT: lambda url: replay_recordings(url, sorted(folder.iterdir())),
        REPLAY: lambda url: _replay(spark, url, folder),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            say(f"spark: {folder.name} events, {name}")
            with server.database("replay") as url:
                costs[name].append(cost_of_all(server.cpu_seconds, partial(step, url)))
    return costs


def costs_in_turns(
    server: BenchmarkServer, rounds: int, say: Callable[[str], None], steps: Mapping[str, Callable[[], object]]
) -> dict[str, list[Cost]]:
    """The costs of some steps in each round; the first round is not counted."""
    say(f"spark: {' and '.join(steps)}")
    measured = [
        {name: cost_of_all(server.cpu_seconds, step) for name, step in steps.items()} for _ in range(rounds + 1)
    ][1:]
    return {name: [one[name] for one in measured] for name in steps}


def _start_session() -> SparkSession:
    """A session with the JDBC driver, whose JVM has started."""
    spark = build_session("benchmark", {"spark.master": f"local[{CORES}]", **driver_conf(os.environ)})
    spark.range(1).collect()
    return spark


def _replay(spark: SparkSession, url: str, folder: Path) -> None:
    """As `coordstream spark replay --from FOLDER` does it."""
    settings = LogTaskSettings(url, SETTINGS)
    with connect(url) as connection:
        replay(spark, connection, check_recordings(spark, find_files(str(folder)), settings), settings)


def _export(url: str, home: str) -> None:
    """As `coordstream export --lake` does it."""
    settings = LogTaskSettings(url, SETTINGS)
    archive(mkdtemp(dir=home), settings.database_url, partial(run_here, settings=settings))


def _write_plainly(url: str, home: str) -> None:
    schema = EVENTS.insert(0, pa.field(STREAM, pa.string()))
    batches = []
    with connect(url) as connection, connection.transaction(), connection.cursor("events", binary=True) as cursor:
        cursor.execute(_EVENTS)
        while rows := cursor.fetchmany(10_000):
            columns = zip(zip(*rows, strict=True), schema.types, strict=True)
            batches.append(pa.RecordBatch.from_arrays([pa.array(*each) for each in columns], schema=schema))
    write_deltalake(mkdtemp(dir=home), pa.Table.from_batches(batches), partition_by=[STREAM])


def _copy(url: str) -> None:
    with connect(url) as connection, connection.cursor().copy(_COPY) as copied:
        for _ in copied:
            pass


def _read(spark: SparkSession, url: str) -> None:
    reader = RelationReader(lambda: url)
    with reader.snapshot(spark):
        history = reader.read_relation(spark, "checkpoint_history", partitions=CORES)
        history.write.format("noop").mode("overwrite").save()


def compared_with(limit: str, count: int, costs: dict[str, list[Cost]]) -> list[Sequence[str]]:
    """Rows with the rate of each, and its speed and CPU time beside those of one of them."""
    seconds = {name: [one.seconds for one in each] for name, each in costs.items()}
    cpu = {name: [one.cpu for one in each] for name, each in costs.items()}
    return [
        (
            name,
            spread([count / one for one in seconds[name]]),
            *(f"{median(ratios(side[limit], side[name])):.2f}" for side in (seconds, cpu)),
        )
        for name in costs
    ]
