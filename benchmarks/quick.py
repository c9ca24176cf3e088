"""``make bench-quick``: measures in two minutes whether the replay has become slower.

A ratio is the CPU time of the limit (`benchmarks.limit`) divided by that of the replay beside it, client and server
together. Unlike rates and shares of elapsed time, it hardly depends on the machine and on what else runs there.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.document import ratios
from benchmarks.replay import Rounds, generated_streams, measure_replay
from benchmarks.servers import benchmark_server

ALLOWED_LOSS: Final = 0.2
STORED: Final = Path("benchmarks/quick.json")

Ratios = Mapping[str, float]


def main(arguments: Sequence[str]) -> str | None:
    """Print the ratios. Return what to print on standard error if one has fallen, otherwise None."""
    options = _parser().parse_args(arguments)
    with benchmark_server() as server:
        now = cpu_ratios(measure_replay(server, generated_streams(options.events, 1), options.rounds, lambda _: None))
    if options.store:
        STORED.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for name, ratio in now.items():
        print(f"{name}: {ratio:.3f} of the limit (stored: {stored[name]:.3f})")
    return "\n".join(complaints(now, stored)) or None


def cpu_ratios(rounds: Rounds) -> Ratios:
    """The medians of the ratios."""
    kinds = {"replay from memory": rounds.from_memory, "replay of recordings": rounds.from_recordings}
    limits = [cost.cpu for cost in rounds.limits]
    return {name: round(median(ratios(limits, [cost.cpu for cost in costs])), 3) for name, costs in kinds.items()}


def complaints(now: Ratios, stored: Ratios) -> list[str]:
    """A sentence for each ratio that is more than `ALLOWED_LOSS` below the stored one."""
    return [
        f"The ratio '{name}' is {ratio:.3f}, more than {ALLOWED_LOSS:.0%} below the stored {stored[name]:.3f}. "
        "Find the change that made it slower, or accept it with make bench-quick BENCH_OPTIONS=--store."
        for name, ratio in now.items()
        if ratio < (1 - ALLOWED_LOSS) * stored[name]
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench-quick")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", action="store_true", help="accept the new ratios: write them to the file")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
