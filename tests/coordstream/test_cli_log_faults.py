from typing import Any

import pytest

from coordstream.cli.log_faults import Limits, faults, worst_state

STREAM = "__samza_coordinator_counts_1"
NO_HEARTBEAT = f"{STREAM} has had no heartbeat for 90 s: start its follower, or look why it hangs."
UNKNOWN = f"{STREAM} has an unknown lag: start its follower, or see that the brokers can be reached."


def log(state: str = "live", age: float = 3, lag: int | None = 0, **other: Any) -> dict[str, Any]:
    """A log as `status` shows it, well where a test says nothing else."""
    row = {"stream_name": STREAM, "state": state, "heartbeat_age_seconds": age, "lag": lag}
    return {**row, "is_newest": True, "backend": "kafka", **other}


@pytest.mark.parametrize(
    ("row", "limits", "told"),
    [
        (log(), Limits(), []),
        (log(), Limits(0, 3), []),
        (log("catching-up", lag=10**9), Limits(), []),
        (log("lost", 90, None), Limits(), [NO_HEARTBEAT]),
        (log("lost", 90, 0), Limits(None, 120), []),
        (log("live", 9), Limits(None, 5), [NO_HEARTBEAT.replace("90", "9")]),
        (log("stopped", 90, None), Limits(), []),
        (log("stopped", 90, None), Limits(None, 89), [NO_HEARTBEAT]),
        (log("stopped", 90, None), Limits(5), [UNKNOWN]),
        (log("lost", 90, None), Limits(5), [NO_HEARTBEAT, UNKNOWN]),
        (log(lag=5), Limits(5), []),
        (log(lag=6), Limits(5), [f"{STREAM} is 6 offsets behind its end."]),
        (log("lost", 90, 6, backend="postgres"), Limits(), [NO_HEARTBEAT]),
        (log("lost", 90, None, backend="recording"), Limits(0, 0), []),
        (log("lost", 90, None, is_newest=False), Limits(0, 0), []),
    ],
)
def test_what_a_monitor_is_told(row: dict[str, Any], limits: Limits, told: list[str]) -> None:
    assert list(faults([row], limits)) == told


def test_the_worst_state_is_the_one_to_look_at() -> None:
    assert worst_state(["live", "stopped", "live"]) == "stopped"
    assert worst_state(["replacing", "lost", "catching-up"]) == "lost"
    assert worst_state([]) is None
