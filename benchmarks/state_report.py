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
        f"A store in RocksDB, values of {VALUE_BYTES:,} random bytes. Full: the first commit. Other commits:",
        f"{COMMITS}, with 1 % of the keys changed. A commit ends when its checkpoint is written and old files are",
        f"deleted. Restores are on a host without local state, {rounds} rounds. By turns kafka-python's consumer reads",
        "the same changelog and throws the records away: its speed and its CPU time are 1.",
        machine,
        "",
        *table(("backend", "state", "full commit ms", "commit ms", "of this CPU ms"), _commit_rows(figures)),
        "",
        *table(("restored from", "state", "MB/s", "speed, kafka-python = 1", "CPU"), _restore_rows(figures)),
    ]


def _commit_rows(figures: Sequence[SizedState]) -> Iterator[tuple[str, ...]]:
    for each in figures:
        elapsed, cpu = ([figure * 1000 for figure in figures] for figures in zip(*each.commits, strict=True))
        full = f"{each.full_commit.elapsed * 1000:,.0f}"
        yield _NAMES[each.backend], f"{each.megabytes} MB", full, spread(elapsed), spread(cpu)


def _restore_rows(figures: Sequence[SizedState]) -> Iterator[tuple[str, ...]]:
    for each in figures:
        turns = [*zip(each.restored, each.plain, strict=False)]
        speed = spread([plain.elapsed / restored.elapsed for restored, plain in turns], 2) if turns else "–"
        cpu = spread([restored.cpu / plain.cpu for restored, plain in turns], 2) if turns else "–"
        rates = [each.megabytes / restored.elapsed for restored in each.restored]
        yield _NAMES[each.backend], f"{each.megabytes} MB", spread(rates, 1), speed, cpu
