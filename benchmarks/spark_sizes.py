"""Replays of few and of many events: an event should cost the same."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final, Literal, NamedTuple

from pyspark.sql import SparkSession

from benchmarks.cost import Cost, measure_cost
from benchmarks.markdown import Lines, table
from benchmarks.server import BenchmarkServer
from benchmarks.spark_recordings import CORES, EVENTS_A_LOG, generate_recordings, replay_recordings, start_session

START_EVENTS: Final = 2 * EVENTS_A_LOG
"""A replay of one job: what planning, tasks and Python processes cost before any event counts."""

_METHOD: Final = (
    "How: each size is a replay into a new database, of logs of 1,000 events on average",
    "(`benchmarks/relation_data.py`), in one session, after a replay of the first size that is not counted. Net of",
    "the start: without the time and the events of the first line, which is a replay of one job. CPU is that of the",
    "JVM, of Spark's Python processes and of all processes of Postgres, checkpoints and autovacuum included.",
)


class SizeFigures(NamedTuple):
    """The number of replayed events and of their logs, and the cost of each round's replay."""

    events: int
    logs: int
    costs: list[Cost]


def measure_sizes(
    server: BenchmarkServer, sizes: Sequence[int], rounds: int, say: Callable[[str], None]
) -> list[SizeFigures]:
    """In each round, a replay of `START_EVENTS` events, then one of each size."""
    with TemporaryDirectory(prefix="coordstream-bench-") as home:
        figures, folders = list[SizeFigures](), list[Path]()
        for size in (START_EVENTS, *sizes):
            say(f"spark-sizes: generating {size:,} events")
            folders.append(folder := Path(home) / str(size))
            events = generate_recordings(folder, size)
            figures.append(SizeFigures(events, len(list(folder.iterdir())), []))
        spark = start_session()
        try:
            _replay(server, spark, folders[1])
            for number in range(rounds):
                for folder, figure in zip(folders, figures, strict=True):
                    say(f"spark-sizes: round {number + 1}, replaying {figure.events:,} events")
                    figure.costs.append(_replay(server, spark, folder))
        finally:
            spark.stop()
        return figures


def _replay(server: BenchmarkServer, spark: SparkSession, folder: Path) -> Cost:
    with server.database("size") as url:
        return measure_cost(server, lambda: replay_recordings(spark, url, folder))


def sizes_report(figures: Sequence[SizeFigures], machine: str) -> Lines:
    """What an event costs at each size, and beside the smallest size: in all, and net of the start."""
    start, *sizes = figures
    nothing = SizeFigures(0, 0, [Cost(0.0, 0.0)] * len(start.costs))
    in_all = [_of_an_event(size, nothing) for size in sizes]
    net = [_of_an_event(size, start) for size in sizes]
    rows = [
        (
            f"{size.events:,}",
            f"{size.logs:,}",
            f"{_seconds(size):,.1f}",
            *_beside_the_first(each, in_all[0], "seconds"),
            *_beside_the_first(each_net, net[0], "seconds"),
            *_beside_the_first(each_net, net[0], "cpu"),
        )
        for size, each, each_net in zip(sizes, in_all, net, strict=True)
    ]
    began = (f"{start.events:,}", f"{start.logs:,}", f"{_seconds(start):,.1f}", *[""] * 6)
    beside = "beside the first size"
    heads = ("events", "logs", "s", "µs/event", beside, "net", beside, "CPU µs/event, net", beside)
    rounds = f"{len(start.costs)} rounds in turns, medians."
    return [
        f"`spark replay` on `local[{CORES}]`, {rounds} {machine}",
        "",
        *table(heads, [began, *rows]),
        "",
        *_METHOD,
    ]


def _beside_the_first(
    costs: Sequence[Cost], first: Sequence[Cost], field: Literal["seconds", "cpu"]
) -> tuple[str, str]:
    """The median cost in microseconds, and the median of the rounds' ratios."""
    values, others = ([getattr(cost, field) for cost in some] for some in (costs, first))
    ratios = (one / other for one, other in zip(values, others, strict=True))
    return f"{median(values) * 1e6:.1f}", f"{median(ratios):.2f}"


def _seconds(size: SizeFigures) -> float:
    return median(cost.seconds for cost in size.costs)


def _of_an_event(size: SizeFigures, start: SizeFigures) -> list[Cost]:
    """Each round's cost of an event, without the ``start`` and its events."""
    events = size.events - start.events
    nets = [cost.without(less) for cost, less in zip(size.costs, start.costs, strict=True)]
    return [Cost(net.seconds / events, net.cpu / events) for net in nets]
