"""The rows of `coordinator.explain` in the words of a colleague."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from coordstream.cli.output.tables import input_partition, printable
from coordstream.cli.output.times import moment
from coordstream.cli.query.rows import Row

NOT_RECORDED: Final = "host and user not recorded"
_LOGS: Final = {"coordinator": "coordinator stream", "checkpoint": "checkpoint topic"}
_ENDS: Final = {"oldest": "at the oldest event", "upcoming": "with the next event to come"}


def sentence(steps: Sequence[Row]) -> str:
    """Where a partition starts, what decided that, and whether it had to be assumed that the task reads it.

    ``steps`` are the partition's rows, in their order.
    """
    partition = printable(input_partition(steps[0]))
    won = next((step for step in steps if step["outcome"] == "wins"), None)
    if won is None:
        return f"{partition} is not read: {_because(steps[0])}."
    assumed = f" Not assigned: {_because(steps[0])}." if steps[0]["rule"] == "input" else ""
    return f"{partition} starts {place(won['candidate'])}. The {won['rule']} decides: {_because(won)}.{assumed}"


def place(candidate: str) -> str:
    """Where a candidate begins to read, such as ``at offset 42``."""
    kind, _, value = candidate.partition(" ")
    match kind:
        case "specific":
            return f"at offset {printable(value)}"
        case "timestamp":
            return f"at the first event since {_time(value)}"
        case "after":
            return f"after offset {printable(value.rpartition(' (')[0])}"
    return _ENDS.get(candidate, f"at {printable(candidate)}")


def event(step: Row) -> str | None:
    """The event behind a step: its log and offset, when it was written, and by whom; None where there is none."""
    if step["log_offset"] is None:
        return None
    written = f"{moment(step['record_time'])} UTC" if step["record_time"] else "time not recorded"
    return f"{_LOGS[step['stream_kind']]} {step['log_offset']}, {written}, {writer(step)}"


def writer(step: Row) -> str:
    """User, host and source of an event, which most events do not tell."""
    if step["username"] is None and step["host"] is None:
        return NOT_RECORDED
    who = f"{step['username'] or 'user not recorded'} on {step['host'] or 'host not recorded'}"
    return f"{who}, {step['source']}" if step["source"] else who


def _because(step: Row) -> str:
    """The reason without its code, and the event that says it."""
    told, reason = event(step), step["reason"].partition(": ")[2]
    return printable(reason) if told is None else f"{printable(reason)} ({printable(told)})"


def _time(ms: str) -> str:
    try:
        return f"{datetime.fromtimestamp(int(ms) / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"timestamp {printable(ms)}"
