"""A job whose starting offsets are to change, and what a startpoint request would write, cause, warn of and undo."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, NamedTuple

from coordstream.cli.change import Change
from coordstream.cli.output import counted
from coordstream.cli.positions import Input, format_partitions
from coordstream.errors import CoordstreamError
from coordstream.event_logs import JobLogs, no_coordinator_stream, open_job_logs
from coordstream.input_system import Bounds, Config, JobInputs, Resolved
from coordstream.queries.rows import Row, partition_columns
from coordstream.queries.startpoints import describe_start
from coordstream.settings import load_settings
from eventlog.config import is_kafka_system
from eventlog.errors import ConfigError, EventLogError, list_names
from eventlog.log import EventLog
from eventlog.partition import StartpointKey, SystemStreamPartition
from eventlog.secret_policy import SecretPolicy, holds_fingerprint
from eventlog.startpoint import (
    EXPIRY_MS,
    StartingOffset,
    Startpoint,
    StartpointSpecific,
    StartpointTimestamp,
    is_expired,
)
from eventlog.system_admin import PartitionBounds, ResolvedStartpoint, compare_offsets, is_kafka_offset, offset_after
from eventlog.wire.startpoints import encode_startpoint
from managers.checkpoints.checkpoint_manager import checkpoint_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.errors import ManagerError
from managers.startpoints.next_starts import Checkpoints, Requests, StartChange, StartpointFacts, changed_starts
from managers.startpoints.startpoint_records import request_values, without_key_bucket
from managers.startpoints.startpoint_request import (
    COORDINATOR_FACTORY,
    NO_LEADER_FACTORY,
    choose_keys,
    job_warnings,
    key_warnings,
    write_unless_changed,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from projections.job_choice import Job

MOST_OF_A_KIND: Final = 3
"""How many warnings of one kind are shown, and how many names in a warning."""

PLAN_COLUMNS: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id", "key_bucket"),
    *("startpoint_type", "startpoint_value", "old_decided_by", "old_start", "new_decided_by", "new_start"),
    *("is_followed", "resolved_offset", "events_again"),
)


class StartpointJob(NamedTuple):
    """What is known about a job. ``stored`` are the values of its requests by the texts of their keys.

    ``last_commit_ms`` is None if it has no checkpoint. ``checkpoint_error`` says why its checkpoints are unknown; it is
    empty if they are known.
    """

    job: Job
    log: EventLog
    store: CoordinatorStreamStore
    stored: Mapping[str, bytes]
    facts: StartpointFacts
    checkpoints: Checkpoints
    last_commit_ms: int | None
    checkpoint_error: str = ""

    def warnings(self) -> list[str]:
        """What is unknown about the job, in sentences."""
        sentences = []
        if self.checkpoint_error:
            reason = self.checkpoint_error.rstrip(".")
            sentences.append(f"The job's checkpoints, and whether it is running, are unknown: {reason}.")
        if self.facts.assigned_by == "checkpoint":
            sentences.append(
                "The job has no assignments of partitions to tasks. Each task is assumed to read the partitions in its "
                "checkpoint."
            )
        return sentences

    def request_warnings(self) -> Iterator[str]:
        """What is unknown about the job, and why it would not follow a startpoint as expected, in sentences."""
        yield from self.warnings()
        config = self.facts.job.config
        yield from job_warnings(config)
        if config.get(COORDINATOR_FACTORY) == NO_LEADER_FACTORY:
            yield f"Run `coordstream startpoint fan-out {self.job}` while the job is stopped instead."

    def change_to(self, requests: Requests, now_ms: int) -> Change:
        """The change that writes requests, all created at ``now_ms``. Its write raises `StartpointsChanged`."""
        startpoints = counted(len(requests), "startpoint")
        until = datetime.fromtimestamp((now_ms + EXPIRY_MS) / 1000, UTC)
        values = {text: encode_startpoint(each) for text, each in requests.items()}
        return Change(
            log=self.log,
            question=f"Write {startpoints}?",
            done=f"{startpoints} written. {self.job} starts there if it starts before {until:%Y-%m-%d %H:%M} UTC.",
            write=lambda: write_unless_changed(self.store, self.stored, values),
            warnings=self.request_warnings(),
        )


@contextmanager
def open_startpoint_job(word: str) -> Iterator[StartpointJob]:
    """Open the job that a word names and read its logs.

    Raises `UnknownJob`: no job or several jobs have the name; `CoordstreamError`: it has no coordinator stream.
    """
    with open_job_logs(word) as logs:
        if logs.coordinator is None:
            raise no_coordinator_stream(logs.job)
        with CoordinatorStreamStore(logs.coordinator) as store:
            stored = request_values(store)  # before the facts: a change between them is one by another writer
            facts = StartpointFacts.read(logs.coordinator)
            named = logs.named_in(facts.job.config)
            checkpoints, last_commit_ms, error = _checkpoints(logs, facts)
            known = facts.with_checkpoints(checkpoints)
            yield StartpointJob(named, logs.coordinator, store, stored, known, checkpoints, last_commit_ms, error)


class WritePlan(NamedTuple):
    """A startpoint that was requested of a job, the keys to write it under, and the starts that this affects.

    ``replaced`` are unexpired requests that it overwrites. ``bounds`` are those of the input's partitions, and
    ``resolved`` its first offsets; ``input_error`` says why they are unknown.
    """

    job: StartpointJob
    startpoint: Startpoint
    keys: Sequence[StartpointKey]
    starts: Sequence[StartChange]
    replaced: Requests
    bounds: Bounds
    resolved: Resolved
    input_error: str = ""

    @property
    def unread(self) -> list[SystemStreamPartition]:
        """The partitions that no task is known to read, sorted."""
        read = {without_key_bucket(start.partition) for start in self.starts}
        return sorted({key.partition for key in self.keys} - read)

    def follows(self, start: StartChange) -> bool:
        """Whether a task would start where the startpoint says, whatever decides that."""
        after = start.after
        return (after.startpoint_type, after.startpoint_value) == (self.startpoint.kind, self.startpoint.value)

    def events_again(self, start: StartChange) -> int | None:
        """How many records of the input are read again (positive) or skipped (negative).

        None if the offsets are unknown or not numbers, or if something else decides the start.
        """
        partition = without_key_bucket(start.partition)
        bounds, new = self.bounds.get(partition), self.resolved.get(partition)
        if bounds is None or new is None or start.after.decided_by != "startpoint" or not self.follows(start):
            return None
        offsets = first_offset(start.before, bounds), new.offset
        if not all(map(str.isdecimal, offsets)):
            return None
        old, first = (min(max(int(offset), bounds.oldest_offset), bounds.end_offset) for offset in offsets)
        return old - first


def first_offset(start: StartingOffset, bounds: PartitionBounds, of_time: str = "") -> str:
    """The first offset to read of a start; empty if it is unknown. ``of_time`` is that of a time."""
    match start.startpoint_type:
        case "oldest":
            return str(bounds.oldest_offset)
        case "upcoming":
            return str(bounds.end_offset)
        case "timestamp":
            return of_time
        case _:
            return start.starting_offset or ""


def require_offset(config: Config, place: object, system: str, offset: str, *, is_processed: bool) -> None:
    """Raise CoordstreamError for a fingerprint, or an offset that Kafka does not have: the job would fail to start."""
    if holds_fingerprint(offset.encode(errors="replace")):
        raise CoordstreamError(f"The offset for {place} is the fingerprint of a secret. Use the offset itself.")
    first = offset_after(offset) if is_processed else offset
    if is_kafka_system(config, system) and not is_kafka_offset(first):
        least, most = ("-1 (start at offset 0)", 2**63 - 2) if is_processed else ("0", 2**63 - 1)
        raise CoordstreamError(
            f"Invalid offset {offset!r} for {place}. Expected a number from {least} to {most}. Correct it; nothing was "
            "written."
        )


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
        CoordstreamError: The offset is none of Kafka's.
    """
    facts, stream = job.facts, (input_.system, input_.stream)
    if isinstance(startpoint, StartpointSpecific):
        place, offset = ".".join(stream), startpoint.specific_offset or ""
        require_offset(facts.job.config, place, input_.system, offset, is_processed=False)
    bounds, resolved, input_error = _resolve(job, input_, startpoint, servers)
    existing = {each.partition for each in bounds}
    keys = choose_keys(facts, stream, input_.partitions, tasks, existing=existing, force=force)
    written, now_ms = {str(key): startpoint for key in keys}, startpoint.creation_timestamp
    old = {text: facts.requests[text] for text in written if text in facts.requests}
    replaced = {text: each for text, each in old.items() if not is_expired(each, now_ms)}
    starts = changed_starts(facts, job.checkpoints, {**facts.requests, **written}, now_ms)
    return WritePlan(job, startpoint, keys, starts, replaced, bounds, resolved, input_error)


def plan_rows(plan: WritePlan) -> list[Row]:
    """A row for each affected start, and one without a task for each partition that no task is known to read.

    ``is_followed``: the task would start as requested. ``events_again`` is negative if records are skipped.
    """
    job, asked, secrets = plan.job.job, plan.startpoint, load_settings().secrets
    named = {"job_name": job.name, "job_id": job.id, "startpoint_type": asked.kind, "startpoint_value": asked.value}
    rows: list[Row] = []
    for start in plan.starts:
        resolved = plan.resolved.get(without_key_bucket(start.partition))
        effect = {
            "is_followed": plan.follows(start),
            "resolved_offset": None if resolved is None else resolved.offset,
            "events_again": plan.events_again(start),
        }
        rows.append({**named, **start_columns(start, secrets), **effect})
    rows += ({**named, **partition_columns(each)} for each in plan.unread)
    return [{name: row.get(name) for name in PLAN_COLUMNS} for row in rows]


def start_columns(start: StartChange, secrets: SecretPolicy) -> Row:
    """A start with and without a change, as columns."""
    return {
        "task_name": start.task_name,
        **partition_columns(start.partition),
        "old_decided_by": start.before.decided_by,
        "old_start": describe_start(start.before, secrets),
        "new_decided_by": start.after.decided_by,
        "new_start": describe_start(start.after, secrets),
    }


def warnings(plan: WritePlan) -> Iterator[str]:
    """Every warning about a plan, as a sentence."""
    if plan.input_error:
        yield f"The startpoint was not checked with the input: {plan.input_error.rstrip('.')}."
    else:
        yield from _input_warnings(plan)
    yield from plan.job.request_warnings()
    reads = plan.job.facts.reads()
    yield from list(dict.fromkeys(key_warnings(plan.keys, reads)))[:MOST_OF_A_KIND]
    if not plan.starts:
        partitions = list_names(list(map(str, plan.unread)), MOST_OF_A_KIND)
        yield (
            f"No task of the job is known to read {partitions}. The request has no effect unless the job's coordinator "
            "assigns a task to it; `coordstream startpoint fan-out` cannot."
        )
    if plan.replaced:
        yield f"This replaces the requests for {list_names(list(plan.replaced), MOST_OF_A_KIND)}."


def _resolve(
    job: StartpointJob, input_: Input, startpoint: Startpoint, servers: str | None
) -> tuple[Bounds, Resolved, str]:
    try:
        with JobInputs(job.facts.job.config, servers) as inputs:
            bounds = inputs.bounds([(input_.system, input_.stream)])
            return bounds, inputs.resolve({each: startpoint for each in bounds if input_.includes(each)}), ""
    except EventLogError as error:
        return {}, {}, str(error)


def _input_warnings(plan: WritePlan) -> Iterator[str]:
    """A sentence for each kind of problem in the partitions of a plan."""
    found: dict[str, list[int]] = {}
    for partition in dict.fromkeys(key.partition for key in plan.keys):
        problem = input_problem(plan.startpoint, plan.bounds.get(partition), plan.resolved.get(partition))
        if problem:
            found.setdefault(problem, []).append(partition.partition)
    for problem, numbers in found.items():
        noun = "Partition" if len(numbers) == 1 else "Partitions"
        yield f"{noun} {format_partitions(numbers)}: {problem}"


def input_problem(
    startpoint: Startpoint, bounds: PartitionBounds | None, resolved: ResolvedStartpoint | None
) -> str | None:
    """Why a startpoint may not do what is expected in a partition, which None has no bounds for."""
    if bounds is None:
        return "not found in the input."
    if isinstance(startpoint, StartpointTimestamp) and resolved is not None:
        if resolved.is_past_end:
            return "no record is that late. The job starts with the next new record."
        if bounds.oldest_offset > 0 and resolved.offset == str(bounds.oldest_offset):
            return "records since that time may already be deleted. The job starts at the oldest record."
    if isinstance(startpoint, StartpointSpecific):
        offset = startpoint.specific_offset or ""
        if (compare_offsets(offset, str(bounds.oldest_offset)) or 0) < 0:
            return "the record at that offset is already deleted. The consumer's auto.offset.reset decides."
        if (compare_offsets(offset, str(bounds.end_offset)) or 0) > 0:
            return "the offset is beyond the end. The consumer's auto.offset.reset decides."
    return None


def _checkpoints(logs: JobLogs, facts: StartpointFacts) -> tuple[Checkpoints, int | None, str]:
    try:
        manager = checkpoint_manager(facts.job.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint)
        with CheckpointTool(manager, facts.job) as tool:
            return tool.current_inputs(), manager.last_commit_ms(), ""
    except (ManagerError, ConfigError) as error:
        return {}, None, str(error)
