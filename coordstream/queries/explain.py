"""Why a task starts where it does: the steps of ``coordinator.explain``, in words."""

from collections.abc import Sequence
from typing import Final

from psycopg import sql

from coordstream.queries.rows import Row, input_partition, printable
from coordstream.queries.startpoints import describe_place
from coordstream.times import moment

STEPS: Final = sql.SQL("select * from coordinator.explain(%(name)s, %(id)s, %(task)s, %(at)s)")
NOT_RECORDED: Final = "host and user not recorded"
_LOGS: Final = {"coordinator": "coordinator stream", "checkpoint": "checkpoint topic"}


def conclusion(steps: Sequence[Row]) -> str:
    """Where a partition starts, what decides that, and whether the assignment had to be assumed.

    ``steps`` are the partition's rows, in their order.
    """
    partition = printable(input_partition(steps[0]))
    winner = next((step for step in steps if step["outcome"] == "wins"), None)
    if winner is None:
        return f"{partition} is not read: {_reason(steps[0])}."
    place = describe_place(winner["candidate"])
    assumed = f" Not assigned: {_reason(steps[0])}." if steps[0]["rule"] == "input" else ""
    return f"{partition} starts {place}. The {winner['rule']} decides: {_reason(winner)}.{assumed}"


def event(step: Row) -> str | None:
    """The event behind a step: its log and offset, when it was written, and by whom; None if there is none."""
    if step["log_offset"] is None:
        return None
    written = f"{moment(step['record_time'])} UTC" if step["record_time"] else "time not recorded"
    return f"{_LOGS[step['stream_kind']]} {step['log_offset']}, {written}, {writer(step)}"


def writer(step: Row) -> str:
    """User, host and source of an event; most events record none of them."""
    if step["username"] is None and step["host"] is None:
        return NOT_RECORDED
    who = f"{step['username'] or 'user not recorded'} on {step['host'] or 'host not recorded'}"
    return f"{who}, {step['source']}" if step["source"] else who


def _reason(step: Row) -> str:
    """The reason without its code, and the event behind it."""
    source, reason = event(step), step["reason"].partition(": ")[2]
    return printable(reason) if source is None else f"{printable(reason)} ({printable(source)})"
