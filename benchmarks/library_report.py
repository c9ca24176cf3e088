"""The library's figures as Markdown."""

from collections.abc import Iterator
from typing import Final

from benchmarks.latency import percentile
from benchmarks.library import PUTS, Library
from benchmarks.markdown import Lines, megabytes, spread, table

_NAMES: Final = {"plain": "kafka-python's consumer, records thrown away", "store": "store bootstrap"}


def library_report(figures: Library, machine: str) -> Lines:
    """Bootstrap compared with plain iteration, memory compared with the live data, and puts."""
    first = figures.bootstraps["store"][0]
    grown = max((one.grown_bytes for one in figures.bootstraps["store"] if one.grown_bytes is not None), default=None)
    rounds = len(figures.bootstraps["store"])
    times = "unknown" if grown is None else f"{grown / first.live_bytes:.1f}"
    return [
        f"A topic of {first.events:,} events over {first.live_keys:,} keys; rounds: {rounds}.",
        f"A put is acknowledged when it returns; {PUTS:,} of them one after the other, by one writer.",
        machine,
        "",
        *table(("bootstrap from Kafka", "share of plain iteration", "events/s"), _bootstrap_rows(figures)),
        "",
        *table(
            ("a store's memory", "live data", "process grown by", "times the data"),
            [(f"{first.live_keys:,} live keys", megabytes(first.live_bytes), megabytes(grown), times)],
        ),
        "",
        *table(("put and flush", "p50 ms", "p99 ms", "most ms"), _put_rows(figures)),
    ]


def _bootstrap_rows(figures: Library) -> Iterator[tuple[str, ...]]:
    plain = [one.seconds for one in figures.bootstraps["plain"]]
    for reader, turns in figures.bootstraps.items():
        shares = [limit / one.seconds for limit, one in zip(plain, turns, strict=True)]
        yield _NAMES[reader], spread(shares, 2), spread([one.events / one.seconds for one in turns])


def _put_rows(figures: Library) -> Iterator[tuple[str, ...]]:
    for kind, times in figures.puts.items():
        yield kind, *(f"{figure:.2f}" for figure in (percentile(times, 0.5), percentile(times, 0.99), max(times)))
