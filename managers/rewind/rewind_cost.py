"""What a rewind costs: records to read again or to skip, their bytes, and the time to catch up. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from managers.rewind.rewind_plan import Move
from managers.rewind.rewind_targets import Placed, Reader


class Counted(NamedTuple):
    """The records of a range of offsets that exist, and the bytes of their keys and values."""

    records: int
    bytes: int


class CostFacts(NamedTuple):
    """What the cost is computed from: counted ranges, records per second of each task, stores of the job."""

    counted: Mapping[Reader, Counted]
    rates: Mapping[str, float]
    stores: Sequence[str]


def affected_range(placed: Placed) -> range:
    """The offsets that are read again or skipped, of those that the input still has."""
    position = placed.position
    start = min(max(position.from_offset, position.oldest_offset), position.end_offset)
    return range(min(start, placed.to_offset), max(start, placed.to_offset))


def cost_of_moves(placed: Sequence[Placed], facts: CostFacts) -> tuple[Move, ...]:
    """The moves of a plan, sorted by task and partition."""
    left = _records_left(placed)
    ordered = sorted(placed, key=lambda each: each.position.reader)
    return tuple(_move(each, facts, left[each.position.task_name]) for each in ordered)


def _records_left(placed: Iterable[Placed]) -> dict[str, int]:
    """How many offsets each task has before it, from its targets to the ends."""
    left: dict[str, int] = {}
    for each in placed:
        task_name = each.position.task_name
        left[task_name] = left.get(task_name, 0) + each.position.end_offset - each.to_offset
    return left


def _move(placed: Placed, facts: CostFacts, records_left: int) -> Move:
    position, to = placed.position, placed.to_offset
    counted = facts.counted.get(position.reader)
    records = len(affected_range(placed)) if counted is None else counted.records
    is_back = to <= position.from_offset
    rate = facts.rates.get(position.task_name, 0)
    return Move(
        task_name=position.task_name,
        system_name=position.partition.system,
        stream_name=position.partition.stream,
        partition_id=position.partition.partition,
        key_bucket=position.partition.key_bucket,
        decided_by=position.start.decided_by,
        startpoint_type=position.start.startpoint_type,
        startpoint_value=position.start.startpoint_value,
        checkpoint_offset=position.checkpoint_offset,
        from_offset=position.from_offset,
        to_offset=to,
        requested_offset=placed.requested_offset,
        finding=placed.finding,
        records_again=records if is_back else 0,
        records_skipped=0 if is_back else records,
        is_counted=counted is not None,
        bytes=None if counted is None else counted.bytes,
        seconds_to_catch_up=round(records_left / rate) if rate > 0 else None,
        stores=() if to == position.from_offset else tuple(facts.stores),
    )
