from typing import Any

import pytest

from coordstream.queries.jobs import JobLimits, lag_of, state_of, sums

MINUTE = JobLimits(commit_age_seconds=60)
STREAM = "__samza_checkpoint_ver_1_for_orders_1"


def log(state: str = "live", **other: Any) -> dict[str, Any]:
    return {"stream_name": STREAM, "state": state, "state_detail": None, "backend": "kafka", **other}


def task(silent: float | None = 5, name: str = "Partition 0", **other: Any) -> dict[str, Any]:
    """A task that committed some seconds ago and has read its inputs to their ends."""
    committed = {"task_name": name, "commit_time": "2026-01-31T12:00:00Z", "silent_seconds": silent}
    lag = {
        "partition_count": 1,
        "records_behind": 0,
        "seconds_behind": 0,
        "is_lower_bound": False,
        "lag_age_seconds": 5,
    }
    return {**committed, **lag, **other}


UNOBSERVED: dict[str, Any] = {
    "records_behind": None, "seconds_behind": None, "is_lower_bound": None, "lag_age_seconds": None,
}  # fmt: skip
LATE: dict[str, Any] = {"records_behind": 9_000, "seconds_behind": 660, "is_lower_bound": True}
PART_UNKNOWN: dict[str, Any] = {"records_behind": None, "seconds_behind": 301, "is_lower_bound": True}


@pytest.mark.parametrize(
    ("logs", "tasks", "limits", "expected"),
    [
        ([log()], [task()], MINUTE, ("committing", None)),
        ([log()], [task(61)], MINUTE, ("silent", "no commit for 1 min 1 s")),
        ([log()], [task(), task(90, "Partition 1")], MINUTE,
         ("silent", "1 of 2 tasks have not committed for 1 min 30 s: Partition 1")),
        ([log()], [task(90, commit_time=None)], MINUTE, ("silent", "never committed, assigned 1 min 30 s ago")),
        ([log()], [task(9, commit_time=None)], MINUTE, ("unknown", "has not committed yet")),
        ([log()], [task(-61)], MINUTE, ("unknown", "the time of a commit is unknown or in the future")),
        ([log()], [], MINUTE, ("unknown", "no task is known")),
        ([log()], [task(**LATE)], MINUTE, ("behind", "over 11 min behind")),
        ([log()], [task(**PART_UNKNOWN)], MINUTE, ("behind", "over 5 min 1 s behind")),
        ([log()], [task(**LATE)], MINUTE._replace(lag_records=8_999), ("behind", "9,000 records behind")),
        ([log()], [task(**LATE)], MINUTE._replace(lag_records=9_000), ("committing", None)),
        ([log()], [task(**UNOBSERVED)], MINUTE, ("committing", None)),
        ([log()], [task(**UNOBSERVED)], MINUTE._replace(lag_seconds=60), ("unknown", "its lag is unknown")),
        ([log()], [task(lag_age_seconds=301)], MINUTE._replace(lag_seconds=60), ("unknown", "its lag is unknown")),
        ([log(), log("lost")], [task(61)], MINUTE, ("unknown", f"{STREAM} is lost")),
        ([log(state_detail="It waits.")], [task()], MINUTE, ("unknown", f"{STREAM} is live: It waits")),
        ([log("stopped")], [task()], MINUTE, ("unknown", f"{STREAM} is stopped")),
        ([log("stopped", backend="recording")], [task(61)], MINUTE, ("stopped", "recorded")),
        ([log("retired", state_detail="retired")], [task(61)], MINUTE, ("stopped", "retired")),
    ],
)  # fmt: skip
def test_the_state_of_a_job(
    logs: list[dict[str, Any]], tasks: list[dict[str, Any]], limits: JobLimits, expected: tuple[str, str | None]
) -> None:
    assert state_of(logs, tasks, lag_of(tasks), limits) == expected


def test_the_lag_of_the_logs_is_unknown_if_that_of_one_is() -> None:
    live = {"is_newest": True, "lag": 2, "state": "live", "quarantine_open": 1, "gap_count": 0}
    replaced = live | {"is_newest": False, "lag": None, "state": "stopped", "gap_count": 3}
    expected = {"log_state": "catching-up", "log_lag": 4, "quarantine_open": 3, "gap_count": 3}
    assert sums([live, live | {"state": "catching-up"}, replaced]) == expected
    assert sums([live, live | {"lag": None}])["log_lag"] is None


def test_the_worst_state_of_the_logs_counts() -> None:
    for states, worst in {
        ("live", "stopped", "live"): "stopped",
        ("replacing", "refused", "lost", "catching-up"): "lost",
        ("replacing", "refused"): "refused",
        (): None,
    }.items():
        logs = [log(state, is_newest=True, lag=0, quarantine_open=0, gap_count=0) for state in states]
        assert sums(logs)["log_state"] == worst
