"""Where tasks start, and what was asked for, in words."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from coordstream.cli.arguments.input import spelled_partitions
from coordstream.cli.startpoint.places import describe_place
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import Startpoint
from managers.startpoints.startpoint_input import Finding, ResolvedInput
from managers.startpoints.startpoint_plan import Start

_OF_TIME: Final[Mapping[Finding, str]] = {
    Finding.AFTER_LAST: "no event is as late as that: it starts with the next new event",
    Finding.BEFORE_RETAINED: "events since then may be gone already: it starts at the oldest that is there",
}
_OF_OFFSET: Final[Mapping[Finding, str]] = {
    Finding.AFTER_LAST: "the offset is beyond the end",
    Finding.BEFORE_RETAINED: "the event at that offset is gone already",
}
_RESET: Final = "the job starts where its consumer's auto.offset.reset says"


def startpoint_place(startpoint: Startpoint) -> str:
    """Where a startpoint says to begin, such as ``at offset 42``."""
    if startpoint.kind in ("specific", "timestamp") and not startpoint.value:
        return "nowhere, since it names no place"
    return describe_place(_candidate(startpoint.kind, startpoint.value))


def start_place(start: StartingOffset) -> str:
    """Where a task begins, and what decides it, such as ``at offset 42 (checkpoint)``."""
    if start.startpoint_type is not None:
        where = describe_place(_candidate(start.startpoint_type, start.startpoint_value))
    elif start.starting_offset is not None:
        where = describe_place(f"specific {start.starting_offset}")
    else:
        where = "after what was processed last"
    return f"{where} ({start.decided_by})"


def findings(answer: ResolvedInput, startpoint: Startpoint, partitions: Collection[int]) -> list[str]:
    """A sentence for each kind of thing that is odd in these partitions, with those where it is."""
    found: dict[Finding, list[int]] = {}
    for partition, finding in answer.findings.items():
        if partition in partitions:
            found.setdefault(finding, []).append(partition)
    return [f"{_partitions(numbers)}: {_odd(finding, startpoint)}" for finding, numbers in found.items()]


def follows(start: Start, startpoint: Startpoint) -> bool:
    """Whether a task would start where this startpoint says, whatever decides that."""
    return (start.after.startpoint_type, start.after.startpoint_value) == (startpoint.kind, startpoint.value)


def events_between(start: Start, startpoint: Startpoint, answer: ResolvedInput) -> int | None:
    """How many events are read again (positive) or left out (negative) if a task starts by this startpoint.

    None where offsets don't tell, or something else decides.
    """
    old = answer.first_offset(start.partition.partition, start.before)
    new = answer.resolved.get(start.partition.partition)
    if start.after.decided_by != "startpoint" or not follows(start, startpoint) or new is None or old is None:
        return None
    return int(old) - int(new.offset) if old.isdecimal() and new.offset.isdecimal() else None


def events_words(count: int | None) -> str | None:
    """Such as ``30 again`` or ``5 left out``."""
    if count is None:
        return None
    return f"{count} again" if count >= 0 else f"{-count} left out"


def listed(texts: Sequence[str], most: int = 3) -> str:
    """The first of some texts, and how many more there are."""
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"


def _candidate(kind: str, value: str | None) -> str:
    return kind if value is None else f"{kind} {value}"


def _partitions(numbers: Sequence[int]) -> str:
    noun = "partition" if len(numbers) == 1 else "partitions"
    return f"{noun} {spelled_partitions(numbers)}"


def _odd(finding: Finding, startpoint: Startpoint) -> str:
    if finding is Finding.NOT_THERE:
        return "the input has none of that number"
    if startpoint.kind == "timestamp":
        return _OF_TIME[finding]
    return f"{_OF_OFFSET[finding]}: {_RESET}"
