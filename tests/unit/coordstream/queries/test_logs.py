from typing import Any

import pytest

from coordstream.queries.logs import Limits, faults
from eventlog.errors import by_cause

STREAM = "__samza_coordinator_counts_1"
NO_LOG = "No logs. Import or follow a stream."


def log(state: str = "live", age: float | None = 3, lag: int | None = 0, **other: Any) -> dict[str, Any]:
    """A log as `status` shows it, without a fault except for the given columns."""
    row = {"stream_name": STREAM, "state": state, "state_detail": None, "heartbeat_age_seconds": age, "lag": lag}
    return {**row, "is_newest": True, "backend": "kafka", "topic_is_missing": False, **other}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [(Limits(), []), (Limits(0), [NO_LOG]), (Limits(None, 0), [NO_LOG]), (Limits(0, 0), [NO_LOG])],
)
def test_without_a_log_nothing_is_within_a_limit(limits: Limits, expected: list[str]) -> None:
    assert [fault for _, fault in faults([], limits)] == expected


def test_a_topic_that_is_gone_is_one_problem() -> None:
    gone = log("refused", state_detail="There is no such stream. Create it.", topic_is_missing=True)
    assert [fault.partition(",")[0] for _, fault in faults([gone], Limits())] == [
        f"{STREAM} does not exist on its brokers"
    ]


def test_a_cause_has_one_message_for_all_of_its_logs() -> None:
    lost = [log("lost", 90 + number, None, stream_name=f"log-{number}") for number in range(400)]
    same = " The same for 399 more: log-1, log-2, log-3 and 396 more."
    held = "log-7 is held by a follower."
    assert by_cause([*faults([*lost, log(lag=6)], Limits(5)), ("log-7", held)]) == [
        f"log-0 has had no heartbeat for 90 s. Start its follower, or find out why it hangs.{same}",
        f"log-0 has an unknown lag. Start its follower, or check that the brokers can be reached.{same}",
        f"{STREAM} has a lag of 6, more than 5.",
        held,
    ]
