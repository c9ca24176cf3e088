"""The figures of Spark as Markdown."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from benchmarks.markdown import Lines, spread, table
from benchmarks.spark_replay import CORES, SparkFigures

_METHOD: Final = (
    "How: `benchmarks/relation_data.py` says what the events are; each log is a file of JSON lines. Import and replay",
    "read each file twice, first to check it. The user's pipeline (`benchmarks/user_pipeline.py`) reads the files once",
    "and fills the current config and checkpoints, without archive, secrets, quarantine and positions; with histories",
    "it also appends each of their rows. Raw COPY is `copy (select * from coordinator.checkpoint_history) to stdout`",
    "on one connection; the read is `read_relation` with two partitions in one snapshot. Postgres shares the cores.",
)


def spark_report(figures: SparkFigures, machine: str) -> Lines:
    """All figures, including bad ones, and how they were measured."""
    rounds = len(figures.replays)
    head = [
        f"{figures.events:,} generated events in {figures.logs:,} logs, `local[{CORES}]`, {rounds} rounds in",
        f"turns, medians (least to most). {machine} Judge by the ratios: the rates are this machine's.",
        f"The session's start and a first replay of {figures.few_events:,} events took {figures.start:.1f} s, not",
        "included.",
    ]
    rows = [
        _row("`spark replay`", figures.replays, figures),
        _row("`import --processes 2`", figures.imports, figures),
        _row("a user's pipeline, current rows only", figures.pipelines, figures),
        _row("a user's pipeline, with histories", figures.full_pipelines, figures),
    ]
    few, many = figures.few / figures.few_events, median(figures.replays) / figures.events
    reads = [
        ("raw COPY, one connection", spread([figures.read_rows / seconds for seconds in figures.copies]), "1"),
        (
            "`read_relation` in a snapshot",
            spread([figures.read_rows / seconds for seconds in figures.reads]),
            f"{_ratio(figures.copies, figures.reads):.2f}",
        ),
    ]
    return [
        *head,
        "",
        *table(("events to relations", "events/s", "speed of the replay beside it"), rows),
        "",
        f"An event costs {few * 1e6:.1f} µs in a replay of {figures.few_events:,} events and {many * 1e6:.1f} µs in",
        f"one of {figures.events:,}.",
        "",
        *table((f"{figures.read_rows:,} rows of checkpoint_history", "rows/s", "beside COPY"), reads),
        "",
        *_METHOD,
    ]


def _row(name: str, seconds: Sequence[float], figures: SparkFigures) -> tuple[str, str, str]:
    return name, spread([figures.events / each for each in seconds]), f"{_ratio(seconds, figures.replays):.2f}"


def _ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """The median of the ratios of the rounds."""
    return median(one / other for one, other in zip(slow, fast, strict=True))
