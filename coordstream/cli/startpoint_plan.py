"""What a startpoint request would write, where the tasks would start then, what to know before, and how to undo it."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from coordstream.cli.input_system import open_input
from coordstream.cli.positions import Input, format_partitions, format_position
from coordstream.cli.startpoint_job import StartpointJob
from coordstream.queries.rows import Row, Rows
from coordstream.queries.startpoints import describe_start
from eventlog.errors import EventLogError, list_names
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, startpoint_key_readings
from eventlog.startpoint import Startpoint, StartpointTimestamp, is_expired
from managers.startpoints.next_starts import Requests, StartChange, changed_starts
from managers.startpoints.startpoint_records import without_key_bucket
from managers.startpoints.startpoint_request import (
    COORDINATOR_FACTORY,
    NO_LEADER_FACTORY,
    InputProblem,
    ResolvedInput,
    choose_keys,
    job_warnings,
    key_warnings,
    resolve_input,
)
from projections.job_choice import Job

MOST_OF_A_KIND: Final = 3
"""How many warnings of one kind are shown, and how many names in a warning."""

PLAN_COLUMNS: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id", "key_bucket"),
    *("startpoint_type", "startpoint_value", "old_decided_by", "old_start", "new_decided_by", "new_start"),
    *("is_followed", "resolved_offset", "events_again"),
)
_OF_TIME: Final[Mapping[InputProblem, str]] = {
    InputProblem.NOT_THERE: "not found in the input.",
    InputProblem.AFTER_LAST: "no event is that late. The job starts with the next new event.",
    InputProblem.BEFORE_RETAINED: "events since that time may already be deleted. The job starts at the oldest event.",
}
_OF_OFFSET: Final[Mapping[InputProblem, str]] = {
    InputProblem.NOT_THERE: "not found in the input.",
    InputProblem.AFTER_LAST: "the offset is beyond the end. The consumer's auto.offset.reset decides.",
    InputProblem.BEFORE_RETAINED: (
        "the event at that offset is already deleted. The consumer's auto.offset.reset decides."
    ),
}


class WritePlan(NamedTuple):
    """A startpoint that was requested of a job, the keys to write it under, and the starts that this affects.

    ``replaced`` are unexpired requests that it overwrites. ``resolved`` is None if the input could not be read, for the
    reason in ``input_error``.
    """

    job: StartpointJob
    startpoint: Startpoint
    keys: Sequence[StartpointKey]
    starts: Sequence[StartChange]
    replaced: Requests
    resolved: ResolvedInput | None
    input_error: str = ""

    @property
    def unread(self) -> list[SystemStreamPartition]:
        """The partitions that no task is known to read, sorted."""
        read = {without_key_bucket(start.partition) for start in self.starts}
        return sorted({key.partition for key in self.keys} - read)

    def follows(self, start: StartChange) -> bool:
        """Whether a task would start where the startpoint says, whatever decides that."""
        return (start.after.startpoint_type, start.after.startpoint_value) == (
            self.startpoint.kind,
            self.startpoint.value,
        )

    def events_again(self, start: StartChange) -> int | None:
        """How many events are read again (positive) or skipped (negative).

        None if the offsets are unknown or not numbers, or if something else decides the start.
        """
        if self.resolved is None or start.after.decided_by != "startpoint" or not self.follows(start):
            return None
        old = self.resolved.first_offset(start.partition.partition, start.before)
        new = self.resolved.resolved.get(start.partition.partition)
        if new is None or old is None or not (old.isdecimal() and new.offset.isdecimal()):
            return None
        return int(old) - int(new.offset)


def plan_write(
    job: StartpointJob,
    input_: Input,
    startpoint: Startpoint,
    tasks: Collection[str],
    *,
    servers: str | None = None,
    force: bool = False,
) -> WritePlan:
    """Resolve a startpoint in its input and plan the requests; nothing is written.

    Raises:
        InvalidStartpointRequest: The job does not read the input, or has no such task; see `choose_keys`.
        ConfigError: The job's config has an invalid default for offsets.
    """
    facts, now_ms = job.facts, startpoint.creation_timestamp
    resolved, input_error = _resolve(job, input_, startpoint, servers)
    existing = () if resolved is None else resolved.bounds.keys()
    stream = (input_.system, input_.stream)
    keys = choose_keys(facts, stream, input_.partitions, tasks, existing=existing, force=force)
    written = {str(key): startpoint for key in keys}
    old = {text: facts.requests[text] for text in written if text in facts.requests}
    replaced = {text: each for text, each in old.items() if not is_expired(each, now_ms)}
    starts = changed_starts(facts, job.checkpoints, {**facts.requests, **written}, now_ms)
    affected = [start for start in starts if start.before != start.after or not set(_keys_of(start)).isdisjoint(keys)]
    return WritePlan(job, startpoint, keys, affected, replaced, resolved, input_error)


def plan_rows(plan: WritePlan) -> Rows:
    """A row for each affected start, and one without a task for each partition that no task is known to read.

    ``is_followed``: the task would start as requested. ``events_again`` is negative if events are skipped.
    """
    unread = (
        {**_row(plan, None), "stream_name": each.stream, "system_name": each.system, "partition_id": each.partition}
        for each in plan.unread
    )
    return Rows(PLAN_COLUMNS, [*(_row(plan, start) for start in plan.starts), *unread])


def start_columns(start: StartChange) -> Row:
    """A start with and without a change, as columns."""
    return {
        "task_name": start.task_name,
        "system_name": start.partition.system,
        "stream_name": start.partition.stream,
        "partition_id": start.partition.partition,
        "key_bucket": start.partition.key_bucket,
        "old_decided_by": start.before.decided_by,
        "old_start": describe_start(start.before),
        "new_decided_by": start.after.decided_by,
        "new_start": describe_start(start.after),
    }


def commands(verb: str, job: Job, positions: Mapping[StartpointKey, str]) -> list[str]:
    """The commands that write the requests with these keys at their positions, or that delete them (no positions)."""
    partitions: dict[tuple[str, str, str | None, str], list[int]] = {}
    for key, position in positions.items():
        place = (key.partition.system, key.partition.stream, key.task_name, position)
        partitions.setdefault(place, []).append(key.partition.partition)
    return [
        shlex.join(
            [
                *("coordstream", "startpoint", verb, str(job), f"{system}.{stream}.{format_partitions(numbers)}"),
                *([position] if position else []),
                *([] if task_name is None else ["--task", task_name]),
            ]
        )
        for (system, stream, task_name, position), numbers in partitions.items()
    ]


def write_commands(job: Job, requests: Requests) -> list[str]:
    """The commands that write these requests again, except those that no command can write."""
    found = ((startpoint_key_readings(text), format_position(each)) for text, each in requests.items())
    return commands("write", job, {readings[0]: word for readings, word in found if readings and word})


def warnings(plan: WritePlan) -> Iterator[str]:
    """Every warning about a plan, as a sentence."""
    if plan.resolved is None:
        yield f"The startpoint was not checked with the input: {plan.input_error.rstrip('.')}."
    else:
        yield from _input_warnings(plan.resolved, plan.startpoint, {key.partition.partition for key in plan.keys})
    yield from plan.job.warnings()
    asked = plan.startpoint
    if isinstance(asked, StartpointTimestamp) and (asked.timestamp_offset or 0) > asked.creation_timestamp:
        yield "The time is in the future. If no event is that late at the next start, the job starts with the next one."
    config = plan.job.facts.job.config
    yield from job_warnings(config)
    if config.get(COORDINATOR_FACTORY) == NO_LEADER_FACTORY:
        yield f"Run `coordstream startpoint fan-out {plan.job.job}` while the job is stopped instead."
    reads = plan.job.facts.reads()
    yield from list(dict.fromkeys(each for key in plan.keys for each in key_warnings(key, reads)))[:MOST_OF_A_KIND]
    if not plan.starts:
        yield _no_readers(plan)
    if plan.replaced:
        yield f"This replaces the requests for {list_names(list(plan.replaced), MOST_OF_A_KIND)}."


def _resolve(
    job: StartpointJob, input_: Input, startpoint: Startpoint, servers: str | None
) -> tuple[ResolvedInput | None, str]:
    try:
        with open_input(job.facts.job.config, input_.system, servers) as admin:
            return resolve_input(admin, input_.system, input_.stream, input_.partitions, startpoint), ""
    except EventLogError as error:
        return None, str(error)


def _keys_of(start: StartChange) -> tuple[StartpointKey, StartpointKey]:
    """The keys of requests for every task and for this task only."""
    partition = without_key_bucket(start.partition)
    return StartpointKey(partition), StartpointKey(partition, TaskName(start.task_name))


def _row(plan: WritePlan, start: StartChange | None) -> Row:
    row: dict[str, Any] = dict.fromkeys(PLAN_COLUMNS)
    row |= {"job_name": plan.job.job.name, "job_id": plan.job.job.id}
    row |= {"startpoint_type": plan.startpoint.kind, "startpoint_value": plan.startpoint.value}
    if start is not None:
        resolved = None if plan.resolved is None else plan.resolved.resolved.get(start.partition.partition)
        row |= {**start_columns(start), "is_followed": plan.follows(start), "events_again": plan.events_again(start)}
        row["resolved_offset"] = None if resolved is None else resolved.offset
    return row


def _input_warnings(resolved: ResolvedInput, startpoint: Startpoint, partitions: Collection[int]) -> Iterator[str]:
    """A sentence for each kind of problem in these partitions of the input."""
    found: dict[InputProblem, list[int]] = {}
    for partition, problem in resolved.problems.items():
        if partition in partitions:
            found.setdefault(problem, []).append(partition)
    consequences = _OF_TIME if startpoint.kind == "timestamp" else _OF_OFFSET
    for problem, numbers in found.items():
        noun = "Partition" if len(numbers) == 1 else "Partitions"
        yield f"{noun} {format_partitions(numbers)}: {consequences[problem]}"


def _no_readers(plan: WritePlan) -> str:
    partitions = list_names(list(map(str, plan.unread)), MOST_OF_A_KIND)
    if plan.job.facts.reads():
        return f"No task of the job reads {partitions}. The request has no effect unless a task is assigned to it."
    return (
        f"The job has no assignments and no checkpoints, so the tasks that read {partitions} are unknown. Samza's "
        "coordinator fans the request out when it starts the job; `coordstream startpoint fan-out` cannot."
    )
