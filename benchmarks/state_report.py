"""The figures of state as Markdown."""

from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.markdown import Lines, spread, table
from benchmarks.state import COMMITS, VALUE_BYTES, SizedState

_NAMES: Final = {"changelog": "Kafka changelog", "objects": "object store, a local folder"}


def state_report(figures: Sequence[SizedState], machine: str) -> Lines:
    """Commits by size, and restores beside a plain read."""
    rounds = len(figures[0].restored)
    return [
        f"A store in RocksDB, values of {VALUE_BYTES:,} random bytes. Full: the first commit. Incremental: {COMMITS}",
        "commits with 1 % of the keys changed. A commit ends when its checkpoint is on the topic, and old files are",
        f"deleted. Restores are on a host without local state, {rounds} rounds.",
        machine,
        "",
        *table(("backend", "state", "full commit ms", "incremental commit ms"), _commit_rows(figures)),
        "",
        *table(("restored from", "state", "MB/s", "share of plain kafka-python"), _restore_rows(figures)),
    ]


def _commit_rows(figures: Sequence[SizedState]) -> Iterator[tuple[str, ...]]:
    for each in figures:
        yield _NAMES[each.backend], f"{each.megabytes} MB", f"{each.full_ms:,.0f}", spread(each.incremental_ms)


def _restore_rows(figures: Sequence[SizedState]) -> Iterator[tuple[str, ...]]:
    for each in figures:
        shares = [restored / plain for restored, plain in zip(each.restored, each.plain, strict=False)]
        share = spread(shares, 2) if shares else "–"
        yield _NAMES[each.backend], f"{each.megabytes} MB", spread(each.restored, 1), share
