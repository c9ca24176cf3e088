"""What a startpoint request would write, and where tasks would start then."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from coordstream.cli.input_system import open_input
from coordstream.cli.job.startpoint_job import StartpointJob
from coordstream.cli.positions import Input
from coordstream.queries.rows import Row
from coordstream.queries.startpoints import describe_start
from eventlog.errors import EventLogError
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import Startpoint, is_expired
from managers.startpoints.next_starts import Requests, StartChange, changed_starts
from managers.startpoints.startpoint_records import without_key_bucket
from managers.startpoints.startpoint_request import ResolvedInput, choose_keys, resolve_input

PLAN_COLUMNS: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id", "key_bucket"),
    *("startpoint_type", "startpoint_value", "old_decided_by", "old_start", "new_decided_by", "new_start"),
    *("is_followed", "resolved_offset", "events_again"),
)


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
    def requests(self) -> Requests:
        """What is written, by the texts of the keys."""
        return {str(key): self.startpoint for key in self.keys}

    @property
    def unread(self) -> list[SystemStreamPartition]:
        """The partitions that no task is known to read, sorted."""
        read = {without_key_bucket(start.partition) for start in self.starts}
        return sorted({key.partition for key in self.keys} - read)


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
    affected = [start for start in starts if not set(_keys_of(start)).isdisjoint(keys)]
    return WritePlan(job, startpoint, keys, affected, replaced, resolved, input_error)


def plan_rows(plan: WritePlan) -> list[Row]:
    """A row for each affected start, and one without a task for each partition that no task is known to read.

    ``is_followed``: the task would start as requested. ``events_again`` is negative if events are skipped.
    """
    return [_row(plan, start) for start in plan.starts] + [
        {**_row(plan, None), "stream_name": each.stream, "system_name": each.system, "partition_id": each.partition}
        for each in plan.unread
    ]


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


def follows(start: StartChange, startpoint: Startpoint) -> bool:
    """Whether a task would start where this startpoint says, whatever decides that."""
    return (start.after.startpoint_type, start.after.startpoint_value) == (startpoint.kind, startpoint.value)


def events_between(start: StartChange, startpoint: Startpoint, resolved: ResolvedInput) -> int | None:
    """How many events are read again (positive) or skipped (negative) if a task starts at this startpoint.

    None if the offsets are unknown or not numbers, or if something else decides the start.
    """
    old = resolved.first_offset(start.partition.partition, start.before)
    new = resolved.resolved.get(start.partition.partition)
    if start.after.decided_by != "startpoint" or not follows(start, startpoint) or new is None or old is None:
        return None
    return int(old) - int(new.offset) if old.isdecimal() and new.offset.isdecimal() else None


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
        row |= {**start_columns(start), "is_followed": follows(start, plan.startpoint)}
        if plan.resolved is not None:
            offset = plan.resolved.resolved.get(start.partition.partition)
            row["resolved_offset"] = None if offset is None else offset.offset
            row["events_again"] = events_between(start, plan.startpoint, plan.resolved)
    return row
