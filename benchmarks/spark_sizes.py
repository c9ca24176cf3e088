"""Replays of few and of many events: an event should cost the same."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from pyspark.sql import SparkSession

from benchmarks.cost import Cost, measure_cost
from benchmarks.markdown import Lines, table
from benchmarks.server import BenchmarkServer
from benchmarks.spark_recordings import CORES, EVENTS_A_LOG, generate_recordings, replay_recordings, start_session

START_EVENTS: Final = 2 * EVENTS_A_LOG
"""A replay of one job: what planning, tasks and Python processes cost before any event counts."""

_METHOD: Final = (
    "How: each size is a replay into a new database, of logs of 1,000 events on average",
    "(`benchmarks/relation_data.py`), in one session. Net of the start: without the time and the events of the",
    "first line, which is a replay of one job. CPU is that of the JVM, of Spark's Python processes and of all",
    "processes of Postgres, checkpoints and autovacuum included.",
)


class SizeFigures(NamedTuple):
    """The number of replayed events and of their logs, and the cost of the replay."""

    events: int
    logs: int
    cost: Cost


def measure_sizes(server: BenchmarkServer, sizes: Sequence[int], say: Callable[[str], None]) -> list[SizeFigures]:
    """One replay of `START_EVENTS` events, then one of each size, after a replay that is not counted."""
    spark = start_session()
    try:
        return [_measure(server, spark, size, say) for size in (START_EVENTS, START_EVENTS, *sizes)][1:]
    finally:
        spark.stop()


def _measure(server: BenchmarkServer, spark: SparkSession, size: int, say: Callable[[str], None]) -> SizeFigures:
    with TemporaryDirectory(prefix="coordstream-bench-") as home, server.database("size") as url:
        folder = Path(home) / "recordings"
        say(f"spark-sizes: generating {size:,} events")
        events = generate_recordings(folder, size)
        say(f"spark-sizes: replaying {events:,} events")
        cost = measure_cost(server, lambda: replay_recordings(spark, url, folder))
        return SizeFigures(events, len(list(folder.iterdir())), cost)


def sizes_report(figures: Sequence[SizeFigures], machine: str) -> Lines:
    """What an event costs at each size, net of the start, and beside the smallest size."""
    start, *sizes = figures
    nets = [(size, _of_an_event(size, start)) for size in sizes]
    first = nets[0][1]
    rows = [
        (
            f"{size.events:,}",
            f"{size.logs:,}",
            f"{size.cost.seconds:,.1f}",
            f"{net.seconds * 1e6:.1f}",
            f"{net.seconds / first.seconds:.2f}",
            f"{net.cpu * 1e6:.1f}",
            f"{net.cpu / first.cpu:.2f}",
        )
        for size, net in nets
    ]
    began = (f"{start.events:,}", f"{start.logs:,}", f"{start.cost.seconds:,.1f}", "", "", "", "")
    heads = (
        "events",
        "logs",
        "s",
        "µs/event, net",
        "beside the first size",
        "CPU µs/event, net",
        "beside the first size",
    )
    return [f"`spark replay` on `local[{CORES}]`. {machine}", "", *table(heads, [began, *rows]), "", *_METHOD]


def _of_an_event(size: SizeFigures, start: SizeFigures) -> Cost:
    net, events = size.cost.without(start.cost), size.events - start.events
    return Cost(net.seconds / events, net.cpu / events)
