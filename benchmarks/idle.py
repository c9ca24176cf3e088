"""The CPU time of a follower while nothing is appended."""

import time
from typing import Final, NamedTuple

from benchmarks.follower_process import FollowerProcess

IDLE_SECONDS: Final = 10.0


class Idle(NamedTuple):
    """CPU as a share of a core: of the follower, and of the server's processes for its connections (None: unknown)."""

    follower: float | None
    backends: float | None


def idle(follower: FollowerProcess, seconds: float = IDLE_SECONDS) -> Idle:
    """Measure for ``seconds``."""
    started, follower_before, backends_before = time.monotonic(), follower.cpu(), follower.backends_cpu()
    time.sleep(seconds)
    passed = time.monotonic() - started
    return Idle(share(follower_before, follower.cpu(), passed), share(backends_before, follower.backends_cpu(), passed))


def share(before: float | None, after: float | None, seconds: float) -> float | None:
    """CPU time between two moments as a share of a core."""
    return None if before is None or after is None else (after - before) / seconds
