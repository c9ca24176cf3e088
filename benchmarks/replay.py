"""Replay: the events of several streams are imported into an empty database, beside the COPY of the same rows.

Run as a module, it replays recordings, so that nothing else is in its memory: ``python -m benchmarks.replay URL FILE…``
prints a JSON list: its cost, and its peak memory in bytes.
"""

import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from benchmarks.document import Lines, ratios, spread, table
from benchmarks.generator import STREAM_NAMES, generate
from benchmarks.limit import CopyData, load, read_rows
from benchmarks.processes import Cost, cost_on, peak_bytes
from benchmarks.servers import BenchmarkServer
from eventlog.events import RecordedEvent
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.recording import read_recording, write_recording
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import identify
from projections.fold.settings import FoldSettings
from projections.planner_statistics import finish_imports
from projections.recording_import import import_stream

ReadEvents = Callable[[], Iterable[RecordedEvent]]
Streams = Mapping[str, Sequence[RecordedEvent]]
"""Events in memory by stream."""

SETTINGS: Final = FoldSettings(SecretPolicy(b"the benchmark's key"))
_SIZES: Final = """
select n.nspname, sum(pg_relation_size(c.oid)) filter (where c.relkind = 'r'),
       sum(pg_relation_size(c.oid)) filter (where c.relkind = 'i')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'i')
group by n.nspname order by n.nspname
"""
_METHOD: Final = (
    "How: `benchmarks/generator.py` says what the events are. The limit is the archive's and the histories' rows of",
    "the replay as ready binary COPY data, one COPY a table, all in one transaction, into tables with only their",
    "primary keys; it decodes nothing and keeps no current rows, keys, layouts or position. Replay from memory reads a",
    "list made before; recordings (gzip, JSON lines) are read by a process of their own, whose peak memory it is.",
)


class Rounds(NamedTuple):
    """The costs of each round, and what was measured once: peak memory, and (schema, rows, indexes) in bytes."""

    limits: Sequence[Cost]
    from_memory: Sequence[Cost]
    from_recordings: Sequence[Cost]
    peak_bytes: int
    sizes: Sequence[tuple[str, int, int]]


def generated_streams(events: int, seed: int) -> Streams:
    """``events`` events in total, by stream."""
    streams: dict[str, list[RecordedEvent]] = {name: [] for name in STREAM_NAMES}
    for stream_name, event in generate(events, seed):
        streams[stream_name].append(event)
    gc.collect()
    gc.freeze()  # the garbage collector need not scan the events of the benchmark
    return streams


def measure_replay(server: BenchmarkServer, streams: Streams, rounds: int, say: Callable[[str], None]) -> Rounds:
    """Measure in ``rounds`` rounds, at least one."""
    from_memory = {name: partial(iter, events) for name, events in streams.items()}
    memory: list[Cost] = []
    recordings: list[Cost] = []
    limits: list[Cost] = []
    peak, sizes = 0, list[tuple[str, int, int]]()
    data: CopyData | None = None
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as folder:
        files = write_recordings(Path(folder), streams)
        for number in range(1, rounds + 1):
            say(f"round {number} of {rounds}: replay from memory, then the limit, then from recordings")
            with server.database("memory") as url:
                memory.append(replay(url, from_memory))
                data = data or read_rows(url)
            limits.append(load(server, data))
            with server.database("recordings") as url:
                cost, peak = replay_recordings(url, files)
                sizes = _sizes(url)
            recordings.append(cost)
    return Rounds(limits, memory, recordings, peak, sizes)


def replay(url: str, streams: Mapping[str, ReadEvents]) -> Cost:
    """Import the streams one after the other, as `coordstream import` does."""
    with connect(url) as connection:
        return cost_on(connection, lambda: _import(connection, streams))


def write_recordings(folder: Path, streams: Streams) -> list[Path]:
    """Write a recording of each stream."""
    files = [folder / f"{number}.jsonl.gz" for number in range(len(streams))]
    for file, (stream_name, events) in zip(files, streams.items(), strict=True):
        write_recording(file, ((stream_name, event) for event in events))
    return files


def replay_recordings(url: str, files: Sequence[Path]) -> tuple[Cost, int]:
    """Replay recordings of one stream each in a new process; return the cost and its peak memory."""
    command = [sys.executable, "-m", "benchmarks.replay", url, *map(str, files)]
    cost, peak = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Cost(*cost), peak


def replay_report(rounds: Rounds, streams: Streams, on: str) -> Lines:
    """All figures, including bad ones, and how they were measured."""
    events = sum(map(len, streams.values()))
    raw = sum(len(event.key or b"") + len(event.value or b"") for each in streams.values() for event in each)
    kinds = (
        ("limit: the same rows by COPY, one connection", rounds.limits),
        ("from memory", rounds.from_memory),
        ("from recordings", rounds.from_recordings),
    )
    sizes = [
        (name, *(f"{size / events:.0f}" for size in sizes), f"{sum(sizes) / raw:.2f}") for name, *sizes in rounds.sizes
    ]
    return [
        f"{events:,} generated events, {len(rounds.limits)} rounds by turns, one process; medians (least to most).",
        on,
        "",
        *table(
            ("replay", "events/s", "share of the limit", "client CPU µs/event", "server CPU µs/event"),
            (_row(name, costs, rounds.limits, events) for name, costs in kinds),
        ),
        "",
        f"Peak memory of the process that replays the recordings: {rounds.peak_bytes / 1e6:.0f} MB.",
        "",
        *table(
            ("bytes per event", "rows", "indexes", "share of raw"),
            [("raw: key and value", f"{raw / events:.0f}", "0", "1.00"), *sizes],
        ),
        "",
        *_METHOD,
    ]


def _row(name: str, costs: Sequence[Cost], limits: Sequence[Cost], events: int) -> tuple[str, ...]:
    client, server = (median(cost[side] for cost in costs) / events * 1e6 for side in (1, 2))
    shares = ratios([limit.seconds for limit in limits], [cost.seconds for cost in costs])
    return name, spread([events / cost.seconds for cost in costs]), spread(shares, 2), f"{client:.1f}", f"{server:.1f}"


def _import(connection: Connection, streams: Mapping[str, ReadEvents]) -> None:
    imported = [
        import_stream(connection, identify(name), read_events, SETTINGS, system_clock)
        for name, read_events in streams.items()
    ]
    if any(one.quarantined for one in imported):
        raise ValueError("Generated events are in quarantine: nothing of them would be measured.")
    finish_imports(connection, sum(one.added for one in imported))


def _sizes(url: str) -> list[tuple[str, int, int]]:
    with connect(url) as connection:
        return [(name, int(rows), int(indexes)) for name, rows, indexes in connection.execute(_SIZES)]


def _events(file: Path) -> Iterable[RecordedEvent]:
    return (event for _, event in read_recording(file))


def _main(url: str, files: Sequence[Path]) -> None:
    streams = {next(iter(read_recording(file)))[0]: partial(_events, file) for file in files}
    print(json.dumps([replay(url, streams), peak_bytes()]))


if __name__ == "__main__":
    _main(sys.argv[1], list(map(Path, sys.argv[2:])))
