"""``make bench``: replay beside the limit, in one run, interleaved; a table on standard output and in the docs."""

import argparse
import gc
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.generator import STREAM_NAMES, generate
from benchmarks.limit import Load, load, read_rows
from benchmarks.recording_replay import RecordingReplay, replay_recordings
from benchmarks.replay import Replay, Sizes, replay, sizes
from benchmarks.report import Figures, report
from benchmarks.server import BenchmarkServer, benchmark_server
from eventlog.connection import connect
from eventlog.events import RecordedEvent
from eventlog.recording import write_recording

DOCUMENT: Final = Path("docs/benchmarks.md")
Streams = Mapping[str, list[RecordedEvent]]


def main(arguments: list[str]) -> None:
    """Measure, print the report, and write it where ``--out`` says."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=DOCUMENT)
    options = parser.parse_args(arguments)
    _say(f"generating {options.events:,} events")
    streams = _generate(options.events, options.seed)
    with benchmark_server() as server, tempfile.TemporaryDirectory(prefix="coordstream-bench-") as folder:
        figures = _measure(server, streams, options.rounds, Path(folder))
    text = report(figures)
    print(text)
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(text, encoding="utf-8")


def _generate(events: int, seed: int) -> Streams:
    streams: dict[str, list[RecordedEvent]] = {name: [] for name in STREAM_NAMES}
    for stream_name, event in generate(events, seed):
        streams[stream_name].append(event)
    gc.collect()
    gc.freeze()  # the events are the measurement's, not the product's: its collections need not walk them
    return streams


def _measure(server: BenchmarkServer, streams: Streams, rounds: int, folder: Path) -> Figures:
    replays: list[Replay] = []
    limits: list[Load] = []
    on_disk: Sizes | None = None
    data = None
    for number in range(1, rounds + 1):
        _say(f"round {number} of {rounds}: replay from memory, then the limit")
        with server.database("replay") as url:
            replays.append(replay(url, {name: partial(iter, events) for name, events in streams.items()}))
            if data is None:
                with connect(url) as connection:
                    data, on_disk = read_rows(connection), sizes(connection)
        limits.append(load(server, data))
    if on_disk is None:
        raise ValueError("at least one round is needed")
    return Figures(replays, limits, _from_recordings(server, streams, folder), on_disk, _raw_bytes(streams))


def _from_recordings(server: BenchmarkServer, streams: Streams, folder: Path) -> RecordingReplay:
    _say("writing recordings, then replaying them in a process of their own")
    files = [folder / f"{number}.jsonl.gz" for number in range(len(streams))]
    for file, (stream_name, events) in zip(files, streams.items(), strict=True):
        write_recording(file, ((stream_name, event) for event in events))
    with server.database("recording") as url:
        return replay_recordings(url, files)


def _raw_bytes(streams: Streams) -> int:
    return sum(len(event.key or b"") + len(event.value or b"") for events in streams.values() for event in events)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
