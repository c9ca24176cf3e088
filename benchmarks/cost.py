"""What a step costs: the time that passes, and the CPU time of our processes and of the server's."""

import os
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple, Self

from benchmarks.processes import family_cpu_seconds
from benchmarks.server import BenchmarkServer


class Cost(NamedTuple):
    """Seconds that passed, and CPU seconds of both sides."""

    seconds: float
    cpu: float

    def without(self, other: Self) -> "Cost":
        """The difference, for a cost that is fixed."""
        return Cost(self.seconds - other.seconds, self.cpu - other.cpu)


def measure_cost(server: BenchmarkServer, step: Callable[[], object]) -> Cost:
    """The cost of a step: of this process, of its children such as the JVM, and of all processes of the server."""
    cpu, began = _cpu_seconds(server), time.perf_counter()
    step()
    seconds = time.perf_counter() - began
    return Cost(seconds, _cpu_seconds(server) - cpu)


def speeds(slow: Sequence[Cost], fast: Sequence[Cost]) -> tuple[float, float]:
    """How often ``fast`` could be done in the time, and in the CPU time, of ``slow``: medians of the rounds."""
    pairs = list(zip(slow, fast, strict=True))
    return median(one.seconds / other.seconds for one, other in pairs), median(
        one.cpu / other.cpu for one, other in pairs
    )


def _cpu_seconds(server: BenchmarkServer) -> float:
    return family_cpu_seconds(os.getpid()) + server.cpu_seconds()
