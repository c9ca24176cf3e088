"""All figures of the replay: from memory beside the limit, interleaved, then once from recordings."""

import gc
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.generator import STREAM_NAMES, generate
from benchmarks.limit import Load, load, read_rows
from benchmarks.recording_replay import RecordingReplay, replay_recordings
from benchmarks.replay import Replay, Sizes, replay, sizes
from benchmarks.report import Figures
from benchmarks.server import BenchmarkServer
from eventlog.connection import connect
from eventlog.events import RecordedEvent
from eventlog.recording import write_recording

Streams = Mapping[str, list[RecordedEvent]]
Say = Callable[[str], None]


def generated_streams(events: int, seed: int) -> Streams:
    """So many events in all, by stream."""
    streams: dict[str, list[RecordedEvent]] = {name: [] for name in STREAM_NAMES}
    for stream_name, event in generate(events, seed):
        streams[stream_name].append(event)
    gc.collect()
    gc.freeze()  # the events are the measurement's, not the product's: its collections need not walk them
    return streams


def measure_replay(server: BenchmarkServer, streams: Streams, rounds: int, say: Say) -> Figures:
    """Measure in so many rounds, at least one; ``say`` is told what is done now."""
    replays: list[Replay] = []
    limits: list[Load] = []
    on_disk: Sizes | None = None
    data = None
    for number in range(1, rounds + 1):
        say(f"round {number} of {rounds}: replay from memory, then the limit")
        with server.database("replay") as url:
            replays.append(replay(url, {name: partial(iter, events) for name, events in streams.items()}))
            if data is None:
                with connect(url) as connection:
                    data, on_disk = read_rows(connection), sizes(connection)
        limits.append(load(server, data))
    if on_disk is None:
        raise ValueError("at least one round is needed")
    say("writing recordings, then replaying them in a process of their own")
    return Figures(replays, limits, _from_recordings(server, streams), on_disk, _raw_bytes(streams))


def _from_recordings(server: BenchmarkServer, streams: Streams) -> RecordingReplay:
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as folder:
        files = [Path(folder) / f"{number}.jsonl.gz" for number in range(len(streams))]
        for file, (stream_name, events) in zip(files, streams.items(), strict=True):
            write_recording(file, ((stream_name, event) for event in events))
        with server.database("recording") as url:
            return replay_recordings(url, files)


def _raw_bytes(streams: Streams) -> int:
    return sum(len(event.key or b"") + len(event.value or b"") for events in streams.values() for event in events)
