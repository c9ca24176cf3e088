"""A replay from recording files, in a process of its own that has nothing else in its memory: run as a module.

``python -m benchmarks.recording_replay URL FILE…`` prints one JSON object: the replay and the process's peak memory.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import peak_bytes
from benchmarks.replay import ReadEvents, Replay, replay
from eventlog.events import RecordedEvent
from eventlog.recording import read_recording


class RecordingReplay(NamedTuple):
    """A replay, and the most memory that its process had: all of it, Python and libraries too (None: unknown)."""

    replay: Replay
    peak_bytes: int | None


def replay_recordings(url: str, files: Iterable[Path]) -> RecordingReplay:
    """Replay recordings of one stream each, in a new process."""
    command = [sys.executable, "-m", "benchmarks.recording_replay", url, *map(str, files)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return RecordingReplay(Replay(*answer["replay"]), answer["peak_bytes"])


def _events(file: Path) -> Iterable[RecordedEvent]:
    return (event for _, event in read_recording(file))


def _stream_name(file: Path) -> str:
    return next(iter(read_recording(file)))[0]


def _main(url: str, files: list[Path]) -> None:
    streams: dict[str, ReadEvents] = {_stream_name(file): partial(_events, file) for file in files}
    done = replay(url, streams)
    print(json.dumps({"replay": done, "peak_bytes": peak_bytes()}))


if __name__ == "__main__":
    _main(sys.argv[1], [Path(name) for name in sys.argv[2:]])
