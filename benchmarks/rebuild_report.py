"""The figures of verify and rebuild as Markdown."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from benchmarks.markdown import Lines, megabytes, spread, table
from benchmarks.rebuild import WAYS, Refold, Round
from benchmarks.replay import Replay

GOAL: Final = 0.9
_METHOD: Final = (
    "How: the events are imported from memory into an empty database, by one process. Then a new process verifies the",
    "three logs, the next one rebuilds them, and the last one rebuilds them after all tables of their rows were",
    "truncated. The share is that of the same round: import's seconds (or CPU seconds of client and server) divided by",
    "those of verify or rebuild. Larger logs are generated while they are imported, so their import is not comparable.",
)


def rebuild_report(rounds: Sequence[Round], large: Mapping[int, Round], machine: str) -> Lines:
    """All figures, and how they were measured."""
    events = rounds[0].imported.events
    header = ("fold again", "share of import's speed", "share by CPU", "events/s", "client CPU µs/event", "server CPU")
    head = f"{events:,} generated events in three logs; rounds: {len(rounds)}. Goal: {GOAL} of the import. {machine}"
    rows = [_import_row([each.imported for each in rounds]), *(_row(way, rounds) for way in WAYS)]
    sizes = {events: rounds[0], **large}
    peaks = [
        (f"{count:,}", *(megabytes(each.refolds[way].peak_bytes) for way in WAYS)) for count, each in sizes.items()
    ]
    return [head, "", *table(header, rows), "", *table(("peak memory, events", *WAYS), peaks), "", *_METHOD]


def _import_row(imports: Sequence[Replay]) -> tuple[str, ...]:
    return ("import", "1", "1", spread([each.rate for each in imports]), *_cpu(imports))


def _row(way: str, rounds: Sequence[Round]) -> tuple[str, ...]:
    pairs = [(each.imported, each.refolds[way]) for each in rounds]
    refolds = [refold for _, refold in pairs]
    return (
        way,
        spread([imported.seconds / refold.seconds for imported, refold in pairs], 2),
        spread([_cpu_seconds(imported) / _cpu_seconds(refold) for imported, refold in pairs], 2),
        spread([refold.events / refold.seconds for refold in refolds]),
        *_cpu(refolds),
    )


def _cpu_seconds(measured: Replay | Refold) -> float:
    return measured.client_seconds + (measured.server_seconds or 0)


def _cpu(measured: Sequence[Replay] | Sequence[Refold]) -> tuple[str, str]:
    client = median(each.client_seconds / each.events for each in measured)
    server = median((each.server_seconds or 0) / each.events for each in measured)
    return f"{client * 1e6:.1f}", f"{server * 1e6:.1f}"
