"""Makes the plan of a rewind: where each task stands, where it is to start, and what that costs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from coordstream.cli.job.startpoint_job import StartpointJob
from coordstream.cli.rewind.history import busiest_rates
from coordstream.cli.rewind.inputs import Inputs
from coordstream.cli.rewind.selection import EVERYTHING, Selection
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import StartpointTimestamp
from eventlog.system_admin import PartitionBounds, offset_after
from eventlog.timestamps import ms_of
from managers.assignments.changelogs import changelogs
from managers.rewind.rewind_cost import CostFacts, Counted, affected_range, cost_of_moves
from managers.rewind.rewind_errors import InvalidRewind
from managers.rewind.rewind_plan import RewindPlan
from managers.rewind.rewind_targets import Placed, Position, Reader, Target, place, to_time
from managers.startpoints.next_starts import next_starts
from managers.startpoints.startpoint_records import without_key_bucket
from managers.state.backend_choice import is_durable, store_names

COUNT_UP_TO: Final = 1_000_000
"""How many offsets a plan may affect so that their records are counted: they are read from the input."""

TargetOf = Callable[[Inputs, Sequence[Position]], Target]
"""Makes the target for some positions; that of a time asks the inputs."""


def plan_rewind(
    found: StartpointJob,
    target_of: TargetOf,
    selection: Selection = EVERYTHING,
    *,
    servers: str | None = None,
    count_up_to: int = COUNT_UP_TO,
    clock: Clock = system_clock,
) -> RewindPlan:
    """Plan to start the selected tasks and partitions of a job from a target. Nothing is written.

    ``servers`` override the brokers of the inputs in the job's config. Records are counted by reading them if the plan
    affects at most ``count_up_to`` offsets.

    Raises:
        InvalidRewind: nothing is selected, or a target is beyond the end of its input.
        InvalidStartpointRequest: the job does not read a selected input, or has no such task or partition.
        EventLogError: an input or a log cannot be read.
    """
    found.require_checkpoints()
    readers, config, now = selection.choose(found.facts), found.facts.job.config, clock()
    with Inputs(config, servers) as inputs:
        positions = read_positions(found, readers, inputs, ms_of(now))
        target = target_of(inputs, positions)
        placed = place(positions, target)
        if not placed:
            raise InvalidRewind(f"Nothing to rewind: no selected partition has an offset for {target.words}.")
        counted = _count(inputs, placed, count_up_to)
    return RewindPlan(
        job_name=found.job.name,
        job_id=found.job.id,
        target=target.words,
        made_at=now,
        coordinator_stream=found.log.stream_name,
        coordinator_stream_id=found.log.stream_id,
        log_offset=found.facts.log_offset,
        moves=cost_of_moves(placed, CostFacts(counted, busiest_rates(found.job), _stores(config))),
    )


def read_positions(found: StartpointJob, readers: Sequence[Reader], inputs: Inputs, now_ms: int) -> list[Position]:
    """Where the next start of these tasks would begin these partitions, read before the ends of the inputs.

    Raises:
        InvalidRewind: an input does not have a partition, or its offsets are not numbers.
    """
    starts = next_starts(found.facts, found.checkpoints, found.facts.requests, now_ms)
    bounds = inputs.bounds({partition for _, partition in readers})
    of_times = inputs.offsets({each: one for reader in readers for each, one in _timestamp(reader, starts[reader])})
    return [_position(found, reader, starts[reader], bounds, of_times) for reader in readers]


def time_target(words: str, time_ms: int) -> TargetOf:
    """The first record since a time (ms since 1970) of each partition, or its end if there is none."""

    def target(inputs: Inputs, positions: Sequence[Position]) -> Target:
        startpoint = StartpointTimestamp(time_ms, time_ms)
        return to_time(words, inputs.offsets({each.partition: startpoint for each in positions}))

    return target


def _timestamp(reader: Reader, start: StartingOffset) -> Iterator[tuple[SystemStreamPartition, StartpointTimestamp]]:
    """The partition and the time, if the start is at a time."""
    if start.startpoint_type == "timestamp" and start.startpoint_value is not None:
        yield reader[1], StartpointTimestamp(int(start.startpoint_value), 0)


def _position(
    found: StartpointJob,
    reader: Reader,
    start: StartingOffset,
    bounds: Mapping[SystemStreamPartition, PartitionBounds],
    of_times: Mapping[SystemStreamPartition, int],
) -> Position:
    task_name, partition = reader
    reach = bounds.get(without_key_bucket(partition))
    if reach is None:
        raise InvalidRewind(f"The input has no {partition}, which task {task_name!r} reads. Check the topic.")
    checkpoint = found.checkpoints.get(task_name, {}).get(partition)
    match start.startpoint_type:
        case "oldest":
            first: str | None = str(reach.oldest_offset)
        case "upcoming":
            first = str(reach.end_offset)
        case "timestamp":
            first = str(of_times[partition])
        case _:
            first = start.starting_offset or offset_after(checkpoint or "")
    if first is None or not first.isdecimal():
        raise InvalidRewind(f"The next offset of {partition} in task {task_name!r} is not a number.")
    return Position(task_name, partition, start, checkpoint, int(first), reach.oldest_offset, reach.end_offset)


def _count(inputs: Inputs, placed: Sequence[Placed], count_up_to: int) -> dict[Reader, Counted]:
    """The records of each affected range, if there are few enough offsets."""
    ranges = {each.position.reader: affected_range(each) for each in placed}
    if sum(map(len, ranges.values())) > count_up_to:
        return {}
    return {reader: inputs.count(reader[1], offsets) for reader, offsets in ranges.items()}


def _stores(config: Mapping[str, str]) -> list[str]:
    """The stores with a backup, which keep their contents when the job is rewound."""
    durable = {store for store in store_names(config) if is_durable(config, store)}
    return sorted(durable | {each.store for each in changelogs(config)})
