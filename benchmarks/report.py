"""The figures of the replay as Markdown."""

from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple

from benchmarks.limit import Load
from benchmarks.markdown import Lines, megabytes, spread, table
from benchmarks.recording_replay import RecordingReplay
from benchmarks.replay import Replay, Sizes

_METHOD: Final = (
    "How: `benchmarks/generator.py` says what the events are. The limit is the archive's and the histories' rows of",
    "the replay as ready binary COPY data, one COPY a table, all in one transaction, into the frozen tables of",
    "`benchmarks/reference.sql`; it decodes nothing and keeps no current rows, keys, layouts or position. Replay from",
    "memory reads a list made before, which is not in the peak memory: that is of a process that reads the recordings",
    "(gzip, JSON lines), or of all those together that do. The limit is what one connection takes, and so one process",
    "of the server: with several streams at once there are as many connections, whose share of it says how long an",
    "import takes, not what a row costs. The largest stream bounds that. Processes that replay from memory begin",
    "together, when each has its events (`benchmarks/parallel_replay.py`).",
    "CPU of the server is that of the connections' backends alone.",
)


class Figures(NamedTuple):
    """The figures: rounds of replay, with one process and with several, and of the limit; and figures measured once.

    ``recordings``: by one process, and by several.
    """

    replays: Sequence[Replay]
    at_once: Sequence[Replay]
    limits: Sequence[Load]
    recordings: Sequence[RecordingReplay]
    processes: int
    on_disk: Sizes
    raw_bytes: int


def report(figures: Figures, machine: str) -> Lines:
    """All figures, including bad ones, and how they were measured."""
    events = figures.replays[0].events
    head = [
        f"{events:,} generated events, {len(figures.replays)} rounds of replay and limit by turns, medians (least to",
        f"most). {machine} Judge by the share of the limit: the rates are",
        "this machine's.",
    ]
    return [*head, "", *_speed(figures, events), "", *_space(figures, events), "", *_METHOD]


def _speed(figures: Figures, events: int) -> Lines:
    limits, several = figures.limits, f"{figures.processes} processes"
    limit_row = (
        "limit: the same rows by COPY, one connection",
        spread([events / limit.seconds for limit in limits]),
        "1",
        *_cpu(limits, events),
    )
    rows = [
        limit_row,
        _rounds("from memory, one process", figures.replays, limits),
        _rounds(f"from memory, {several}", figures.at_once, limits),
        *(
            _once(f"from recordings, {by}, once", recording.replay, limits)
            for by, recording in zip(("one process", several), figures.recordings, strict=True)
        ),
    ]
    header = ("replay", "events/s", "share of the limit", "client CPU µs/event", "server CPU µs/event")
    peaks = " and ".join(megabytes(recording.peak_bytes) for recording in figures.recordings)
    return [
        *table(header, rows),
        "",
        f"Quarantined: {figures.replays[0].quarantined}. Peak memory of the one process that replays the recordings,",
        f"and of the {figures.processes} and the one that tells them what to do: {peaks}.",
    ]


def _rounds(name: str, runs: Sequence[Replay], limits: Sequence[Load]) -> tuple[str, ...]:
    shares = [limit.seconds / run.seconds for run, limit in zip(runs, limits, strict=True)]
    share = f"{median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})"
    return name, spread([run.rate for run in runs]), share, *_cpu(runs, runs[0].events)


def _once(name: str, run: Replay, limits: Sequence[Load]) -> tuple[str, ...]:
    share = median(limit.seconds for limit in limits) / run.seconds
    return name, f"{run.rate:,.0f}", f"{share:.2f}", *_cpu([run], run.events)


def _space(figures: Figures, events: int) -> Lines:
    disk = figures.on_disk
    kinds = [
        ("raw: key and value", figures.raw_bytes, 0),
        ("archive", disk.archive_rows, disk.archive_indexes),
        ("projection", disk.projection_rows, disk.projection_indexes),
        ("all on disk", disk.archive_rows + disk.projection_rows, disk.archive_indexes + disk.projection_indexes),
    ]
    cells = (
        (name, f"{rows / events:.0f}", f"{indexes / events:.0f}", f"{(rows + indexes) / figures.raw_bytes:.2f}")
        for name, rows, indexes in kinds
    )
    return table(("bytes per event", "rows", "indexes", "share of raw"), cells)


def _cpu(runs: Sequence[Replay | Load], events: int) -> tuple[str, str]:
    client = median(run.client_seconds / events * 1e6 for run in runs)
    server = [run.server_seconds / events * 1e6 for run in runs if run.server_seconds is not None]
    return f"{client:.1f}", f"{median(server):.1f}" if server else "unknown"
