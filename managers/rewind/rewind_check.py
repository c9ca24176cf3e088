"""Whether a job is still as it was when a rewind was planned, and whether it would follow the rewind."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from eventlog.checkpoint import Offsets
from eventlog.log import EventLog
from eventlog.partition import startpoint_key_readings
from eventlog.starting_offset import DecidedBy, StartingOffset
from eventlog.system_admin import compare_offsets
from managers.rewind.rewind_errors import InvalidRewind, WorldMoved
from managers.rewind.rewind_plan import Move, RewindPlan
from managers.startpoints.startpoint_plan import StartpointFacts, Starts
from managers.startpoints.startpoint_records import FAN_OUTS, REQUESTS, without_key_bucket
from managers.stores.namespaced_key import NamespacedKey, read_name

_NEW_PLAN = "Make a new plan."


class NamedEvent(NamedTuple):
    """An event of a coordinator stream; ``value`` None: its key was deleted."""

    log_offset: int
    name: NamespacedKey
    value: bytes | None


def named_events(log: EventLog, first: int) -> Iterator[NamedEvent]:
    """The events of a coordinator stream from an offset on whose keys can be read.

    Raises:
        WorldMoved: the stream ends before that offset, so it was created again.
    """
    if log.end_offset() < first:
        raise WorldMoved(f"{log.stream_name} was created again since the plan was made. {_NEW_PLAN}")
    for event in log.read(first):
        found = None if event.key is None else read_name(event.key)
        if found is not None:
            yield NamedEvent(event.offset, found[0], event.value)


def require_same_startpoints(plan: RewindPlan, log: EventLog) -> None:
    """Raise `WorldMoved` if a startpoint of a moved partition was written or deleted since the plan was made."""
    moved = {(move.task_name, without_key_bucket(move.partition)) for move in plan.moves}
    partitions = {partition for _, partition in moved}
    for log_offset, name, _ in named_events(log, plan.log_offset):
        is_fan_out = name.namespace == FAN_OUTS and name.key in plan.task_names
        readings = startpoint_key_readings(name.key) if name.namespace == REQUESTS else ()
        is_request = any(
            key.partition in partitions if key.task_name is None else (key.task_name, key.partition) in moved
            for key in readings
        )
        if is_fan_out or is_request:
            what = f"The startpoints of task {name.key!r}" if is_fan_out else f"The startpoint request {name.key!r}"
            raise WorldMoved(f"{what} changed at offset {log_offset}, after the plan was made. {_NEW_PLAN}")


def require_same_readers(plan: RewindPlan, facts: StartpointFacts) -> None:
    """Raise `WorldMoved` if a task no longer reads a partition of the plan."""
    reads = facts.reads()
    for move in plan.moves:
        if move.partition not in reads.get(move.task_name, ()):
            raise WorldMoved(f"Task {move.task_name!r} no longer reads {move.partition}. {_NEW_PLAN}")


def require_same_checkpoints(plan: RewindPlan, checkpoints: Mapping[str, Offsets], *, may_advance: bool) -> None:
    """Raise `WorldMoved` if a checkpoint is not that of the plan; with ``may_advance``, only if it went back."""
    for move in plan.moves:
        now = checkpoints.get(move.task_name, {}).get(move.partition)
        if now != move.checkpoint_offset and not (may_advance and _is_later(now, move.checkpoint_offset)):
            was = "no checkpoint" if move.checkpoint_offset is None else f"checkpoint {move.checkpoint_offset}"
            raise WorldMoved(f"{move} had {was} when the plan was made, and now has {now or 'none'}. {_NEW_PLAN}")


def require_followed(plan: RewindPlan, starts: Starts, decided_by: DecidedBy) -> None:
    """Raise `InvalidRewind` if the next start of a task would not begin where the plan says.

    ``starts`` are the next starts with what is to be written, which is to decide them.
    """
    for move in plan.moves:
        start = starts.get((move.task_name, move.partition))
        places = (None, str(move.to_offset))
        if start is None or start.decided_by != decided_by or start.starting_offset not in places:
            raise InvalidRewind(f"{move} would not start at offset {move.to_offset}: {_winner(move, start)}.")


def _winner(move: Move, start: StartingOffset | None) -> str:
    if start is None:
        return "the task does not read it"
    if start.decided_by == "reset":
        return f"the config resets the offsets of {move.stream_name} at each start"
    if start.decided_by == "startpoint":
        return "a newer startpoint takes precedence. Delete it with `coordstream startpoint delete`"
    return f"its {start.decided_by} takes precedence"


def _is_later(now: str | None, planned: str | None) -> bool:
    return now is not None and (planned is None or (compare_offsets(now, planned) or 0) > 0)
