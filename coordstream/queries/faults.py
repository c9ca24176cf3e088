"""What is wrong with the logs, for people and monitors."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from eventlog.source import RECORDING
from projections.errors import NOT_FOLDED

WORST_FIRST: Final = ("lost", "refused", "waiting", "replacing", "catching-up", "stopped", "live", "retired")

_NOT_LIVE: Final = {
    "stopped": "is not followed. Start its follower",
    "catching-up": "has not been read to its end yet",
    "replacing": "has not been read to the end of its new incarnation yet",
}

Status = dict[str, Any]


class Limits(NamedTuple):
    """What a monitor allows: the largest lag in offsets, and seconds since the last heartbeat; None: no limit.

    ``must_be_live``: a log that is not followed, or was not read to its end yet, has a fault.
    """

    lag: int | None = None
    age_seconds: float | None = None
    must_be_live: bool = False


class JobLimits(NamedTuple):
    """What a monitor allows: the age of a task's last commit, and how far a job may be behind.

    Without a limit of age: three times the job's ``task.commit.ms``, at least a minute. Without a limit of lag: five
    minutes, as far as the lag is known; with one, an unknown lag is a problem too.
    """

    commit_age_seconds: float | None = None
    lag_seconds: float | None = None
    lag_records: int | None = None


def worst_state(states: Iterable[str]) -> str | None:
    """The state that needs attention most; None if there are no states."""
    return min(states, key=WORST_FIRST.index, default=None)


def is_to_rebuild(log: Status) -> bool:
    """Whether the rows of a log were dropped, so it must be rebuilt from the archive."""
    return bool(log["fold_version"] == NOT_FOLDED)


def faults(logs: Sequence[Status], limits: Limits) -> Iterator[tuple[str, str]]:
    """A message for each fault, after the name of its stream. Only the newest log of a stream can have one.

    Without a limit of age, a lost log is a fault and one that was stopped cleanly is not; with a limit, only the age
    counts. A recording has no follower: it has no fault once its import is complete. A retired log has none. If there
    is a limit and there are no logs at all, that is a fault too.
    """
    if not logs and limits != Limits():
        yield "", "No logs. Import or follow a stream."
    for log in logs:
        if log["is_newest"] and log["state"] != "retired":
            found = _of_recording(log, limits) if log["backend"] == RECORDING else _of_log(log, limits)
            # the detail of a state may end in a full stop
            name = log["stream_name"]
            yield from ((name, f"{name} {fault.removesuffix('.')}.") for fault in found)


def _of_recording(log: Status, limits: Limits) -> Iterator[str]:
    if log["state"] == "lost":
        yield "was imported only partly. Import it again: it continues where it stopped"
    elif log["state"] == "refused":
        yield f"is refused: {log['state_detail']}"
    if limits.lag is not None and log["lag"] is None:
        yield "has an unknown lag: its import is incomplete"


def _of_log(log: Status, limits: Limits) -> Iterator[str]:
    if log["state"] == "refused":
        yield f"is refused: {log['state_detail']}"
    elif log["state"] not in ("lost", "stopped") and log["state_detail"] is not None:
        yield f"is not followed now: {log['state_detail']}"
    if log["topic_is_missing"]:
        yield (
            "is missing on its brokers. Create the topic again, check the rights of our Kafka user, or run "
            f"`coordstream log retire {log['stream_name']}` if its job was deleted"
        )
    if limits.must_be_live and log["state"] in _NOT_LIVE:
        yield _NOT_LIVE[log["state"]]
    yield from _of_age(log, limits.age_seconds)
    if limits.lag is not None:
        yield from _of_lag(log, limits.lag)


def _of_age(log: Status, most_seconds: float | None) -> Iterator[str]:
    age = log["heartbeat_age_seconds"]
    if age is None:
        if most_seconds is not None:
            yield "has never been read. Start its follower"
    elif log["state"] == "lost" if most_seconds is None else age > most_seconds:
        yield f"has had no heartbeat for {age:.0f} s. Start its follower, or find out why it hangs"


def _of_lag(log: Status, most: int) -> Iterator[str]:
    if log["lag"] is None:
        yield "has an unknown lag. Start its follower, or check that the brokers can be reached"
    elif log["lag"] > most:
        yield f"is {log['lag']} offsets behind its end"
