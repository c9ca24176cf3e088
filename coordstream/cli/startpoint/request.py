"""A startpoint that was asked for: whom it reaches, what the next start would make of it, and what is odd about it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from coordstream.cli.arguments.input import GivenInput
from coordstream.cli.query.rows import Row
from coordstream.cli.startpoint.input_system import open_input
from coordstream.cli.startpoint.job import StartpointJob
from coordstream.cli.startpoint.wording import events_between, findings, follows, listed, start_place, startpoint_place
from eventlog.errors import EventLogError
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import Startpoint, StartpointTimestamp, is_expired
from managers.startpoints.startpoint_input import ResolvedInput, resolve_input
from managers.startpoints.startpoint_plan import Requests, Start, changed_starts
from managers.startpoints.startpoint_records import without_key_bucket
from managers.startpoints.startpoint_request import (
    COORDINATOR_FACTORY,
    NO_LEADER_FACTORY,
    choose_keys,
    job_warnings,
    key_warnings,
)

MOST_LIKE_IT: Final = 3
"""How many warnings of one kind are told."""


class Order(NamedTuple):
    """What was asked for of a job, and what would come of it.

    ``replaced`` are living requests that it overwrites. ``answer`` is what the input says of it; None where it could
    not be asked, for the reason that ``not_asked`` tells.
    """

    found: StartpointJob
    startpoint: Startpoint
    keys: Sequence[StartpointKey]
    starts: Sequence[Start]
    replaced: Requests
    answer: ResolvedInput | None
    not_asked: str = ""

    @property
    def requests(self) -> Requests:
        """What is written, by the texts of the keys."""
        return {str(key): self.startpoint for key in self.keys}

    @property
    def unread(self) -> list[SystemStreamPartition]:
        """The partitions that no task is known to read; sorted."""
        return sorted(
            {key.partition for key in self.keys} - {without_key_bucket(start.partition) for start in self.starts}
        )


def make_order(
    found: StartpointJob,
    given: GivenInput,
    startpoint: Startpoint,
    tasks: Collection[str],
    *,
    servers: str | None = None,
    force: bool = False,
) -> Order:
    """Ask the input and see what would happen; nothing is written.

    Raises:
        InvalidStartpointRequest: the job does not read that, or has no such task; see `choose_keys`.
        ConfigError: config names a default for offsets that is none.
    """
    facts, now_ms = found.facts, startpoint.creation_timestamp
    answer, not_asked = _asked(found, given, startpoint, servers)
    there = () if answer is None else answer.bounds.keys()
    keys = choose_keys(facts, (given.system, given.stream), given.partitions, tasks, existing=there, force=force)
    written = {str(key): startpoint for key in keys}
    old = {text: facts.requests[text] for text in written if text in facts.requests}
    replaced = {text: each for text, each in old.items() if not is_expired(each, now_ms)}
    starts = changed_starts(facts, found.checkpoints, {**facts.requests, **written}, now_ms)
    concerned = [start for start in starts if not set(_keys_of(start)).isdisjoint(keys)]
    return Order(found, startpoint, keys, concerned, replaced, answer, not_asked)


def order_rows(order: Order) -> list[Row]:
    """A row a start that is concerned; a partition that no task is known to read has one without a task.

    ``is_followed``: the task would start as asked; ``events_again`` are negative where events are left out.
    """
    return [_row(order, start) for start in order.starts] + [
        {**_row(order, None), "stream_name": each.stream, "system_name": each.system, "partition_id": each.partition}
        for each in order.unread
    ]


def warnings(order: Order) -> Iterator[str]:
    """Sentences that an operator should know before it is written."""
    if order.answer is None:
        yield f"not checked with the input: {order.not_asked}"
    else:
        yield from findings(order.answer, order.startpoint, {key.partition.partition for key in order.keys})
    yield from order.found.warnings()
    yield from _future(order)
    yield from _of_job(order)
    yield from _of_keys(order)
    yield from _unread(order)
    yield from _not_followed(order)
    yield from _replacements(order)
    yield from _dropped(order)


def _asked(
    found: StartpointJob, given: GivenInput, startpoint: Startpoint, servers: str | None
) -> tuple[ResolvedInput | None, str]:
    try:
        with open_input(found.facts.job.config, given.system, servers) as admin:
            return resolve_input(admin, given.system, given.stream, given.partitions, startpoint), ""
    except EventLogError as error:
        return None, str(error)


def _keys_of(start: Start) -> tuple[StartpointKey, StartpointKey]:
    """The keys of requests for every task and for this one alone."""
    partition = without_key_bucket(start.partition)
    return StartpointKey(partition), StartpointKey(partition, TaskName(start.task_name))


def _row(order: Order, start: Start | None) -> Row:
    row: dict[str, Any] = dict.fromkeys(_COLUMNS)
    row |= {"job_name": order.found.job.name, "job_id": order.found.job.id}
    row |= {"startpoint_type": order.startpoint.kind, "startpoint_value": order.startpoint.value}
    if start is not None:
        row |= {**start_columns(start), "is_followed": follows(start, order.startpoint)}
        resolved = None if order.answer is None else order.answer.resolved.get(start.partition.partition)
        row["resolved_offset"] = None if resolved is None else resolved.offset
        row["events_again"] = None if order.answer is None else events_between(start, order.startpoint, order.answer)
    return row


def start_columns(start: Start) -> Row:
    """The columns that tell where a task would start without and with a change."""
    return {
        "task_name": start.task_name,
        "system_name": start.partition.system,
        "stream_name": start.partition.stream,
        "partition_id": start.partition.partition,
        "key_bucket": start.partition.key_bucket,
        "old_decided_by": start.before.decided_by,
        "old_start": start_place(start.before),
        "new_decided_by": start.after.decided_by,
        "new_start": start_place(start.after),
    }


_COLUMNS: Final = (
    *("job_name", "job_id", "task_name", "system_name", "stream_name", "partition_id", "key_bucket"),
    *("startpoint_type", "startpoint_value", "old_decided_by", "old_start", "new_decided_by", "new_start"),
    *("is_followed", "resolved_offset", "events_again"),
)


def _future(order: Order) -> Iterator[str]:
    asked = order.startpoint
    if isinstance(asked, StartpointTimestamp) and (asked.timestamp_offset or 0) > asked.creation_timestamp:
        yield "that time is still to come: where no event is as late when the job starts, it starts with the next event"


def _of_job(order: Order) -> Iterator[str]:
    config = order.found.facts.job.config
    for each in job_warnings(config):
        yield str(each)
    if config.get(COORDINATOR_FACTORY) == NO_LEADER_FACTORY:
        yield f"while the job stands still, `coordstream startpoint fan-out {order.found.job}` hands it out instead"


def _of_keys(order: Order) -> Iterator[str]:
    reads = order.found.facts.reads()
    told = dict.fromkeys(str(each) for key in order.keys for each in key_warnings(key, reads))
    yield from list(told)[:MOST_LIKE_IT]
    if len(told) > MOST_LIKE_IT:
        yield f"and {len(told) - MOST_LIKE_IT} warnings more like the last one, of other partitions"


def _unread(order: Order) -> Iterator[str]:
    """Whether nobody could follow the order, as far as the job's logs tell."""
    if order.starts:
        return
    partitions = listed(list(map(str, order.unread)))
    if order.found.facts.reads():
        yield f"no task of the job reads {partitions}: nobody follows this unless a task is assigned it"
    else:
        yield (
            f"nobody could follow this yet: the job has no assignments and no checkpoints that say which task reads "
            f"{partitions}, so `coordstream startpoint fan-out` hands it to nobody; Samza's own coordinator does, "
            "when it starts the job"
        )


def _not_followed(order: Order) -> Iterator[str]:
    """Starts that something else decides nevertheless."""
    others = [start for start in order.starts if not follows(start, order.startpoint)]
    for start in others[:MOST_LIKE_IT]:
        yield (
            f"task {start.task_name!r} would start {start.partition} {start_place(start.after)} nevertheless: "
            "something newer goes before this"
        )


def _replacements(order: Order) -> Iterator[str]:
    by_place: dict[str, list[str]] = {}
    for text, startpoint in order.replaced.items():
        by_place.setdefault(startpoint_place(startpoint), []).append(text)
    for where, texts in by_place.items():
        yield f"this replaces what was requested for {listed(texts)}, to start {where}"


def _dropped(order: Order) -> Iterator[str]:
    """Samza 1.8.0 writes what it hands to a task in place of what the task still holds (StartpointManager.fanOut)."""
    touched = {(start.task_name, without_key_bucket(start.partition)) for start in order.starts}
    tasks = {start.task_name for start in order.starts}
    lost = [
        f"{partition} of task {task_name!r}"
        for task_name, held in order.found.facts.fanned_out.items()
        for partition in held
        if task_name in tasks and (task_name, partition) not in touched
    ]
    if lost:
        yield (
            f"{listed(lost)}: was handed out and not used yet; Samza's own coordinator drops it when it hands out "
            "this one, `coordstream startpoint fan-out` keeps it"
        )
