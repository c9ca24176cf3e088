"""``make bench-quick``: measures in two minutes whether the replay has become slower.

A ratio is the CPU time of the limit (`benchmarks.limit`) divided by that of the replay beside it, client and server
together. Unlike rates and shares of elapsed time, it hardly depends on the machine and on what else runs there.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.limit import CopyData, Load, load, read_rows
from benchmarks.recording_replay import replay_recordings
from benchmarks.replay import Replay, Streams, replay
from benchmarks.replay_figures import generated_streams, write_recordings
from benchmarks.server import BenchmarkServer, benchmark_server
from eventlog.postgres.connection import connect

STORED: Final = Path("benchmarks/quick.json")
ALLOWED_LOSS: Final = 0.2
_EVENTS: Final = 100_000
_ROUNDS: Final = 3

Ratios = Mapping[str, float]


def main(arguments: Sequence[str]) -> str | None:
    """Print the ratios. Return what to print on standard error if one has fallen, otherwise None."""
    options = _parser().parse_args(arguments)
    with benchmark_server() as server:
        ratios = measure(server, generated_streams(options.events, 1), options.rounds)
    if options.store:
        options.stored.write_text(json.dumps(ratios, indent=2) + "\n", encoding="utf-8")
    stored = json.loads(options.stored.read_text(encoding="utf-8"))
    for name, ratio in ratios.items():
        print(f"{name}: {ratio:.3f} of the limit (stored: {stored[name]:.3f})")
    return "\n".join(complaints(ratios, stored)) or None


def measure(server: BenchmarkServer, streams: Streams, rounds: int) -> Ratios:
    """Replay from memory, load the limit and replay recordings by turns; the medians of the ratios."""
    from_memory = {name: partial(iter, events) for name, events in streams.items()}
    measured: dict[str, list[float]] = {"replay from memory": [], "replay of recordings": []}
    data: CopyData | None = None
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as folder:
        files = write_recordings(Path(folder), streams)
        for _ in range(rounds):
            with server.database("memory") as url:
                replayed = replay(url, from_memory)
                if data is None:
                    with connect(url) as connection:
                        data = read_rows(connection)
            limit = _cpu_seconds(load(server, data))
            with server.database("recordings") as url:
                recorded = replay_recordings(url, files).replay
            measured["replay from memory"].append(limit / _cpu_seconds(replayed))
            measured["replay of recordings"].append(limit / _cpu_seconds(recorded))
    return {name: round(median(ratios), 3) for name, ratios in measured.items()}


def complaints(ratios: Ratios, stored: Ratios) -> list[str]:
    """A sentence for each ratio that is more than `ALLOWED_LOSS` below the stored one."""
    return [
        f"The ratio '{name}' is {ratio:.3f}, more than {ALLOWED_LOSS:.0%} below the stored {stored[name]:.3f}. "
        "Find the change that made it slower, or accept it with make bench-quick BENCH_OPTIONS=--store."
        for name, ratio in ratios.items()
        if ratio < (1 - ALLOWED_LOSS) * stored[name]
    ]


def _cpu_seconds(run: Replay | Load) -> float:
    return run.client_seconds + (run.server_seconds or 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench-quick")
    parser.add_argument("--events", type=int, default=_EVENTS)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--stored", type=Path, default=STORED, help="file of the ratios to compare with")
    parser.add_argument("--store", action="store_true", help="accept the new ratios: write them to the file")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
