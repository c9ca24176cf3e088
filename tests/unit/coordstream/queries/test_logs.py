from typing import Any

import pytest

from coordstream.queries.logs import Limits, faults, worst_state
from eventlog.errors import by_cause

STREAM = "__samza_coordinator_counts_1"
NO_HEARTBEAT = f"{STREAM} has had no heartbeat for 90 s. Start its follower, or find out why it hangs."
UNKNOWN = f"{STREAM} has an unknown lag. Start its follower, or check that the brokers can be reached."


NO_LOG = "No logs. Import or follow a stream."
NOT_IMPORTED = f"{STREAM} has an unknown lag: its import is incomplete."
IN_PART = f"{STREAM} was imported only partly. Import it again: it continues where it stopped."
NEVER_READ = f"{STREAM} has never been read. Start its follower."
MISSING = (
    f"{STREAM} is missing on its brokers. Create the topic again, check the rights of our Kafka user, or run "
    f"`coordstream log retire {STREAM}` if its job was deleted."
)


def log(state: str = "live", age: float | None = 3, lag: int | None = 0, **other: Any) -> dict[str, Any]:
    """A log as `status` shows it, without a fault except for the given columns."""
    row = {"stream_name": STREAM, "state": state, "state_detail": None, "heartbeat_age_seconds": age, "lag": lag}
    return {**row, "is_newest": True, "backend": "kafka", "topic_is_missing": False, **other}


@pytest.mark.parametrize(
    ("row", "limits", "expected"),
    [
        (log(), Limits(), []),
        (log("catching-up", lag=10**9), Limits(), []),
        (log("lost", 90, None), Limits(), [NO_HEARTBEAT]),
        (log("live", 9), Limits(None, 5), [NO_HEARTBEAT.replace("90", "9")]),
        (log("stopped", 90, None), Limits(), []),
        (log("stopped", 90, None), Limits(None, 89), [NO_HEARTBEAT]),
        (log("lost", 90, None), Limits(5), [NO_HEARTBEAT, UNKNOWN]),
        (log(lag=5), Limits(5), []),
        (log(lag=6), Limits(5), [f"{STREAM} is 6 offsets behind its end."]),
        (log("lost", 90, 6, backend="postgres"), Limits(), [NO_HEARTBEAT]),
        (log("stopped", 90, 0, backend="recording"), Limits(0, 0), []),
        (log("catching-up", 2, None, backend="recording"), Limits(), []),
        (log("catching-up", 2, None, backend="recording"), Limits(9, 0), [NOT_IMPORTED]),
        (log("lost", 90, None, backend="recording"), Limits(), [IN_PART]),
        (log("refused", 2, None, state_detail="why", backend="recording"), Limits(), [f"{STREAM} is refused: why."]),
        (log("refused", 2, None, state_detail="Why. Do it."), Limits(), [f"{STREAM} is refused: Why. Do it."]),
        (log("live", state_detail="It waits."), Limits(), [f"{STREAM} is not followed now: It waits."]),
        (log("refused", 90, None, state_detail="why"), Limits(None, 9), [f"{STREAM} is refused: why.", NO_HEARTBEAT]),
        (log("stopped", None, 3, state_detail="never"), Limits(), []),
        (
            log("stopped", None, 3),
            Limits(2, 9),
            [NEVER_READ, f"{STREAM} is 3 offsets behind its end."],
        ),
        (log(topic_is_missing=True), Limits(), [MISSING]),
        (log("lost", 90, None, is_newest=False), Limits(0, 0), []),
        (log("retired", 90, None), Limits(0, 0, must_be_live=True), []),
        (log("stopped"), Limits(must_be_live=True), [f"{STREAM} is not followed. Start its follower."]),
        (log("catching-up"), Limits(must_be_live=True), [f"{STREAM} has not been read to its end yet."]),
        (
            log("replacing"),
            Limits(must_be_live=True),
            [f"{STREAM} has not been read to the end of its new incarnation yet."],
        ),
        (log("stopped", backend="recording"), Limits(must_be_live=True), []),
    ],
)
def test_each_fault_has_a_message(row: dict[str, Any], limits: Limits, expected: list[str]) -> None:
    assert [fault for _, fault in faults([row], limits)] == expected


@pytest.mark.parametrize(
    ("limits", "expected"),
    [(Limits(), []), (Limits(0), [NO_LOG]), (Limits(None, 0), [NO_LOG]), (Limits(0, 0), [NO_LOG])],
)
def test_without_a_log_nothing_is_within_a_limit(limits: Limits, expected: list[str]) -> None:
    assert [fault for _, fault in faults([], limits)] == expected


def test_a_cause_has_one_message_for_all_of_its_logs() -> None:
    lost = [log("lost", 90 + number, None, stream_name=f"log-{number}") for number in range(400)]
    same = " The same for 399 more: log-1, log-2, log-3 and 396 more."
    held = "log-7 is held by a follower."
    assert by_cause([*faults([*lost, log(lag=6)], Limits(5)), ("log-7", held)]) == [
        f"log-0 has had no heartbeat for 90 s. Start its follower, or find out why it hangs.{same}",
        f"log-0 has an unknown lag. Start its follower, or check that the brokers can be reached.{same}",
        f"{STREAM} is 6 offsets behind its end.",
        held,
    ]


def test_the_worst_state_comes_first() -> None:
    assert worst_state(["live", "stopped", "live"]) == "stopped"
    assert worst_state(["replacing", "refused", "lost", "catching-up"]) == "lost"
    assert worst_state(["replacing", "refused"]) == "refused"
    assert worst_state([]) is None
