"""Warnings before a startpoint is written: why the job may not start as requested."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from coordstream.cli.positions import format_partitions
from coordstream.cli.startpoint.plan import WritePlan, follows
from coordstream.queries.startpoints import describe_start, describe_startpoint
from eventlog.errors import list_names
from eventlog.startpoint import Startpoint, StartpointTimestamp
from managers.startpoints.startpoint_records import without_key_bucket
from managers.startpoints.startpoint_request import (
    COORDINATOR_FACTORY,
    NO_LEADER_FACTORY,
    InputProblem,
    ResolvedInput,
    job_warnings,
    key_warnings,
)

MOST_OF_A_KIND: Final = 3
"""How many warnings of one kind are shown, and how many names in a warning."""

_OF_TIME: Final[Mapping[InputProblem, str]] = {
    InputProblem.AFTER_LAST: "no event is that late. The job starts with the next new event.",
    InputProblem.BEFORE_RETAINED: "events since that time may already be deleted. The job starts at the oldest event.",
}
_OF_OFFSET: Final[Mapping[InputProblem, str]] = {
    InputProblem.AFTER_LAST: "the offset is beyond the end. The consumer's auto.offset.reset decides.",
    InputProblem.BEFORE_RETAINED: (
        "the event at that offset is already deleted. The consumer's auto.offset.reset decides."
    ),
}


def warnings(plan: WritePlan) -> Iterator[str]:
    """Every warning about a plan, as a sentence."""
    if plan.resolved is None:
        yield f"The startpoint was not checked with the input: {plan.input_error.rstrip('.')}."
    else:
        yield from finding_warnings(plan.resolved, plan.startpoint, {key.partition.partition for key in plan.keys})
    yield from plan.job.warnings()
    yield from _time_in_future(plan)
    yield from _job_warnings(plan)
    yield from _key_warnings(plan)
    yield from _unread_partitions(plan)
    yield from _starts_decided_otherwise(plan)
    yield from _replaced_requests(plan)
    yield from _dropped_fan_outs(plan)


def finding_warnings(resolved: ResolvedInput, startpoint: Startpoint, partitions: Collection[int]) -> list[str]:
    """A sentence for each kind of problem in these partitions of the input."""
    found: dict[InputProblem, list[int]] = {}
    for partition, problem in resolved.problems.items():
        if partition in partitions:
            found.setdefault(problem, []).append(partition)
    return [f"{_partitions(numbers)}: {_consequence(problem, startpoint)}" for problem, numbers in found.items()]


def _partitions(numbers: Sequence[int]) -> str:
    return f"{'Partition' if len(numbers) == 1 else 'Partitions'} {format_partitions(numbers)}"


def _consequence(problem: InputProblem, startpoint: Startpoint) -> str:
    if problem is InputProblem.NOT_THERE:
        return "not found in the input."
    return _OF_TIME[problem] if startpoint.kind == "timestamp" else _OF_OFFSET[problem]


def _time_in_future(plan: WritePlan) -> Iterator[str]:
    requested = plan.startpoint
    if isinstance(requested, StartpointTimestamp) and (requested.timestamp_offset or 0) > requested.creation_timestamp:
        yield "The time is in the future. If no event is that late at the next start, the job starts with the next one."


def _job_warnings(plan: WritePlan) -> Iterator[str]:
    config = plan.job.facts.job.config
    yield from map(str, job_warnings(config))
    if config.get(COORDINATOR_FACTORY) == NO_LEADER_FACTORY:
        yield f"Run `coordstream startpoint fan-out {plan.job.job}` while the job is stopped instead."


def _key_warnings(plan: WritePlan) -> Iterator[str]:
    reads = plan.job.facts.reads()
    sentences = list(dict.fromkeys(str(each) for key in plan.keys for each in key_warnings(key, reads)))
    yield from sentences[:MOST_OF_A_KIND]
    if len(sentences) > MOST_OF_A_KIND:
        yield f"{len(sentences) - MOST_OF_A_KIND} more warnings like the last one, about other partitions."


def _unread_partitions(plan: WritePlan) -> Iterator[str]:
    """Whether no task would follow the request, as far as the job's logs show."""
    if plan.starts:
        return
    partitions = list_names(list(map(str, plan.unread)), MOST_OF_A_KIND)
    if plan.job.facts.reads():
        yield f"No task of the job reads {partitions}. The request has no effect unless a task is assigned to it."
    else:
        yield (
            f"The job has no assignments and no checkpoints, so the tasks that read {partitions} are unknown. Samza's "
            "coordinator fans the request out when it starts the job; `coordstream startpoint fan-out` cannot."
        )


def _starts_decided_otherwise(plan: WritePlan) -> Iterator[str]:
    others = [start for start in plan.starts if not follows(start, plan.startpoint)]
    for start in others[:MOST_OF_A_KIND]:
        yield (
            f"Task {start.task_name!r} would start {start.partition} {describe_start(start.after)}: "
            "a newer request takes precedence."
        )


def _replaced_requests(plan: WritePlan) -> Iterator[str]:
    by_place: dict[str, list[str]] = {}
    for text, startpoint in plan.replaced.items():
        by_place.setdefault(describe_startpoint(startpoint), []).append(text)
    for place, texts in by_place.items():
        yield f"This replaces the request for {list_names(texts, MOST_OF_A_KIND)} to start {place}."


def _dropped_fan_outs(plan: WritePlan) -> Iterator[str]:
    """Samza 1.8.0 replaces a task's whole fan-out (StartpointManager.fanOut), also what is not consumed yet."""
    affected = {(start.task_name, without_key_bucket(start.partition)) for start in plan.starts}
    tasks = {start.task_name for start in plan.starts}
    dropped = [
        f"{partition} of task {task_name!r}"
        for task_name, partitions in plan.job.facts.fanned_out.items()
        for partition in partitions
        if task_name in tasks and (task_name, partition) not in affected
    ]
    if dropped:
        yield (
            f"Startpoints are fanned out and not consumed for {list_names(dropped, MOST_OF_A_KIND)}. Samza's "
            "coordinator drops them when it fans out this request; `coordstream startpoint fan-out` keeps them."
        )
