"""Whether a job is still as it was when a rewind was planned, and whether it would follow the rewind."""

from collections.abc import Mapping

from eventlog.checkpoint import Offsets
from eventlog.errors import printable_text
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition, startpoint_key_readings
from eventlog.starting_offset import DecidedBy, StartingOffset
from eventlog.system_admin import PartitionBounds, compare_offsets
from managers.rewind.rewind_errors import InvalidRewind, RewindOutdated
from managers.rewind.rewind_plan import Move, RewindPlan
from managers.startpoints.concurrent_writes import named_events
from managers.startpoints.next_starts import StartpointFacts, Starts
from managers.startpoints.startpoint_records import FAN_OUTS, REQUESTS, without_key_bucket

_NEW_PLAN = "Make a new plan."


def require_same_stream(plan: RewindPlan, log: EventLog) -> None:
    """Raise `RewindOutdated` if the job's coordinator stream is not that of the plan.

    A stream that was created again with the same name has another id, or else is shorter in most cases.
    """
    if log.stream_name != plan.coordinator_stream:
        raise RewindOutdated(
            f"The plan is for the job of {printable_text(plan.coordinator_stream)}, not for that of "
            f"{log.stream_name}. {_NEW_PLAN}"
        )
    known = None in (plan.coordinator_stream_id, log.stream_id) or plan.coordinator_stream_id == log.stream_id
    if not known or log.end_offset() < plan.log_offset:
        raise RewindOutdated(
            f"{log.stream_name} is not the stream that the plan was made from: it was created again, or is in another "
            f"place. {_NEW_PLAN}"
        )


def require_same_startpoints(plan: RewindPlan, log: EventLog) -> None:
    """Raise `RewindOutdated` if a startpoint of a moved partition was written or deleted since the plan was made."""
    moved = {(move.task_name, without_key_bucket(move.partition)) for move in plan.moves}
    partitions = {partition for _, partition in moved}
    for event in named_events(log, plan.log_offset):
        name = event.name
        is_fan_out = name.namespace == FAN_OUTS and name.key in plan.task_names
        readings = startpoint_key_readings(name.key) if name.namespace == REQUESTS else ()
        is_request = any(
            key.partition in partitions if key.task_name is None else (key.task_name, key.partition) in moved
            for key in readings
        )
        if is_fan_out or is_request:
            raise RewindOutdated(f"After the plan was made, {event} changed at offset {event.log_offset}. {_NEW_PLAN}")


def require_same_readers(plan: RewindPlan, facts: StartpointFacts) -> None:
    """Raise `RewindOutdated` if a task no longer reads a partition of the plan."""
    reads = facts.reads()
    for move in plan.moves:
        if move.partition not in reads.get(move.task_name, ()):
            raise RewindOutdated(f"Task {move.task_name!r} no longer reads {move.partition}. {_NEW_PLAN}")


def require_same_checkpoints(plan: RewindPlan, checkpoints: Mapping[str, Offsets], *, may_advance: bool) -> None:
    """Raise `RewindOutdated` if a checkpoint is not that of the plan; with ``may_advance``, only if it went back."""
    for move in plan.moves:
        now = checkpoints.get(move.task_name, {}).get(move.partition)
        if now != move.checkpoint_offset and not (may_advance and _is_later(now, move.checkpoint_offset)):
            was = "no checkpoint" if move.checkpoint_offset is None else f"checkpoint {move.checkpoint_offset}"
            raise RewindOutdated(f"{move} had {was} when the plan was made, and now has {now or 'none'}. {_NEW_PLAN}")


def require_targets(plan: RewindPlan, bounds: Mapping[SystemStreamPartition, PartitionBounds]) -> None:
    """Raise `RewindOutdated` if an input does not have a target; ``bounds`` are how far the inputs reach."""
    for move in plan.moves:
        reach = bounds.get(without_key_bucket(move.partition))
        if reach is None or not reach.oldest_offset <= move.to_offset <= reach.end_offset:
            raise RewindOutdated(f"The input no longer has offset {move.to_offset} of {move.partition}. {_NEW_PLAN}")


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
