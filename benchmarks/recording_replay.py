"""A replay from recording files, by processes without other data in memory; run as a module.

``python -m benchmarks.recording_replay URL PROCESSES FILE=EVENTS…`` prints one JSON object: the replay and the peak
memory of all processes together.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import peak_bytes
from benchmarks.replay import ReadEvents, Replay, replay, replay_at_once
from eventlog.events import RecordedEvent
from eventlog.recording import read_recording


class RecordingReplay(NamedTuple):
    """A replay, and the peak memory of its processes, including Python and libraries (None: unknown)."""

    replay: Replay
    peak_bytes: int | None


def replay_recordings(url: str, files: Mapping[Path, int], processes: int = 1) -> RecordingReplay:
    """Replay recordings of one stream each in a new process or in workers; ``files`` has their event counts."""
    counted = [f"{file}={events}" for file, events in files.items()]
    command = [sys.executable, "-m", "benchmarks.recording_replay", url, str(processes), *counted]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return RecordingReplay(Replay(*answer["replay"]), answer["peak_bytes"])


def _events(file: Path) -> Iterable[RecordedEvent]:
    return (event for _, event in read_recording(file))


def _stream_name(file: Path) -> str:
    return next(iter(read_recording(file)))[0]


class _Peaks:
    """The peak memory of each worker, as last read."""

    def __init__(self) -> None:
        self._bytes: dict[int | None, int] = {}

    def look(self) -> None:
        for worker in active_children():
            seen = peak_bytes(worker.pid or -1)
            if seen is not None:
                self._bytes[worker.pid] = seen

    def total(self) -> int | None:
        own = peak_bytes()
        return None if own is None else own + sum(self._bytes.values())


def _main(url: str, processes: int, counted: Sequence[str]) -> None:
    files = {Path(name): int(events) for name, _, events in (text.rpartition("=") for text in counted)}
    streams: dict[str, ReadEvents] = {_stream_name(file): partial(_events, file) for file in files}
    peaks = _Peaks()
    if processes == 1:
        done = replay(url, streams)
    else:
        counts = dict(zip(streams, files.values(), strict=True))
        done = replay_at_once(url, streams, counts, processes, on_progress=peaks.look)
    print(json.dumps({"replay": done, "peak_bytes": peaks.total()}))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
