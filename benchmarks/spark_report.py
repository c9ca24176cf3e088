"""The figures of Spark as Markdown."""

from collections.abc import Sequence
from typing import Final

from benchmarks.cost import Cost, speeds
from benchmarks.markdown import Lines, spread, table
from benchmarks.spark_recordings import CORES
from benchmarks.spark_replay import SparkFigures

_METHOD: Final = (
    "How: `benchmarks/relation_data.py` says what the events are; each log is a file of JSON lines. Import and",
    "replay read each file twice, first to check it. The user's pipeline (`benchmarks/user_pipeline.py`) reads the",
    "files once, in the same session. In full it writes the archive, and of config and checkpoints (both versions)",
    "the history and the current rows, as many as the replay and with the same values, which each round checks; the",
    "replay also writes all other relations, masks secrets, and has quarantine and positions. COPY, its rows and",
    "the read are the same query, `select * from coordinator.checkpoint_history`, with all columns. Raw COPY throws",
    "the bytes away, on one connection; its rows are those of psycopg, as Python text; the read is `read_relation`",
    "in one snapshot, two partitions, into Spark's rows. Postgres shares the cores. Speeds are medians of the",
    "rounds' ratios.",
)


def spark_report(figures: SparkFigures, machine: str) -> Lines:
    """All figures, including bad ones, and how they were measured."""
    replays, copies, rows = figures.replays, figures.copies, figures.read_rows
    ways = (
        ("`spark replay`", replays),
        ("`import --processes 2`", figures.imports),
        ("a user's pipeline, in full", figures.full_pipelines),
        ("a user's pipeline, current rows only", figures.pipelines),
    )
    reads = (
        ("raw COPY, one connection", copies),
        ("the rows of this COPY", figures.parsed_copies),
        ("`read_relation` in a snapshot", figures.reads),
    )
    return [
        f"{figures.events:,} generated events in {figures.logs:,} logs, `local[{CORES}]`, {len(replays)} rounds in",
        f"turns, medians (least to most). {machine} Judge by the ratios: the rates are this machine's.",
        "",
        *table(
            ("events to relations", "events/s", "speed of the replay beside it", "by CPU time"),
            [_row(name, figures.events, costs, *speeds(costs, replays)) for name, costs in ways],
        ),
        "",
        *table(
            (f"{rows:,} rows of checkpoint_history", "rows/s", "speed beside raw COPY", "by CPU time"),
            [_row(name, rows, costs, *speeds(copies, costs)) for name, costs in reads],
        ),
        "",
        *_METHOD,
    ]


def _row(name: str, count: int, costs: Sequence[Cost], speed: float, cpu: float) -> tuple[str, str, str, str]:
    return name, spread([count / cost.seconds for cost in costs]), f"{speed:.2f}", f"{cpu:.2f}"
