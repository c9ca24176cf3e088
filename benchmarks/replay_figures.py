"""All figures of the replay: from memory, with one process and one per core, the limit, and from recordings."""

import gc
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.generator import STREAM_NAMES, generate
from benchmarks.limit import Load, load, read_rows
from benchmarks.parallel_replay import replay_by_processes
from benchmarks.recording_replay import RecordingReplay, replay_recordings
from benchmarks.replay import Replay, Sizes, Streams, replay, sizes
from benchmarks.report import Figures
from benchmarks.server import BenchmarkServer
from coordstream.cli.recording.import_command import usable_cores
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import connect
from eventlog.recording import write_recording

Say = Callable[[str], None]


def generated_streams(events: int, seed: int) -> Streams:
    """``events`` events in total, by stream."""
    streams: dict[str, list[RecordedEvent]] = {name: [] for name in STREAM_NAMES}
    for stream_name, event in generate(events, seed):
        streams[stream_name].append(event)
    gc.collect()
    gc.freeze()  # the garbage collector need not scan the events of the benchmark
    return streams


def measure_replay(server: BenchmarkServer, streams: Streams, rounds: int, say: Say) -> Figures:
    """Measure in ``rounds`` rounds, at least one; ``say`` reports the progress."""
    processes = min(usable_cores(), len(streams))
    replays: list[Replay] = []
    at_once: list[Replay] = []
    limits: list[Load] = []
    on_disk: Sizes | None = None
    data = None
    from_memory = {name: partial(iter, events) for name, events in streams.items()}
    for number in range(1, rounds + 1):
        say(f"round {number} of {rounds}: replay from memory, {processes} streams at once, then the limit")
        with server.database("replay") as url:
            replays.append(replay(url, from_memory))
            if data is None:
                with connect(url) as connection:
                    data, on_disk = read_rows(connection), sizes(connection)
        with server.database("at_once") as url:
            at_once.append(replay_by_processes(url, streams, processes))
        limits.append(load(server, data))
    if on_disk is None:
        raise ValueError("at least one round is needed")
    say("writing recordings, then replaying them in a process of their own, and in several")
    from_recordings = _from_recordings(server, streams, processes)
    return Figures(replays, at_once, limits, from_recordings, processes, on_disk, _raw_bytes(streams))


def _from_recordings(server: BenchmarkServer, streams: Streams, processes: int) -> list[RecordingReplay]:
    """With one process and with ``processes``."""
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as folder:
        files = write_recordings(Path(folder), streams)
        done = []
        for count in (1, processes):
            with server.database("recording") as url:
                done.append(replay_recordings(url, files, count))
        return done


def write_recordings(folder: Path, streams: Streams) -> dict[Path, int]:
    """Write a recording of each stream; return the files with their event counts."""
    files = {folder / f"{number}.jsonl.gz": len(events) for number, events in enumerate(streams.values())}
    for file, (stream_name, events) in zip(files, streams.items(), strict=True):
        write_recording(file, ((stream_name, event) for event in events))
    return files


def _raw_bytes(streams: Streams) -> int:
    return sum(len(event.key or b"") + len(event.value or b"") for events in streams.values() for event in events)
