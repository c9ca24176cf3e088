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
    "(gzip, JSON lines). CPU of the server is that of the connection's backend alone.",
)


class Figures(NamedTuple):
    """What was measured: the rounds of replay and limit, and what was measured once."""

    replays: Sequence[Replay]
    limits: Sequence[Load]
    recording: RecordingReplay
    on_disk: Sizes
    raw_bytes: int


def report(figures: Figures, machine: str) -> Lines:
    """All figures, bad ones too, and how they were got."""
    events = figures.replays[0].events
    head = [
        f"{events:,} generated events, {len(figures.replays)} rounds of replay and limit by turns, medians (least to",
        f"most). {machine} Judge by the share of the limit: the rates are",
        "this machine's.",
    ]
    return [*head, "", *_speed(figures, events), "", *_space(figures, events), "", *_METHOD]


def _speed(figures: Figures, events: int) -> Lines:
    limits, recording = figures.limits, figures.recording.replay
    shares = [limit.seconds / run.seconds for run, limit in zip(figures.replays, limits, strict=True)]
    share = f"{median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})"
    share_of_recording = f"{median(limit.seconds for limit in limits) / recording.seconds:.2f}"
    rows = [
        (
            "limit: the same rows by COPY",
            spread([events / limit.seconds for limit in limits]),
            "1",
            *_cpu(limits, events),
        ),
        ("from memory", spread([run.rate for run in figures.replays]), share, *_cpu(figures.replays, events)),
        ("from recordings, once", f"{recording.rate:,.0f}", share_of_recording, *_cpu([recording], events)),
    ]
    header = ("replay", "events/s", "share of the limit", "client CPU µs/event", "server CPU µs/event")
    return [
        *table(header, rows),
        "",
        f"Quarantined: {figures.replays[0].quarantined}. Peak memory of the process that replays the recordings:",
        f"{megabytes(figures.recording.peak_bytes)}.",
    ]


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
