"""The startpoint requests that a rewind writes, and those that undo them: each change is written once.

A process may be killed between two writes. What is on the log since the undo file was written says what is left to do:
a startpoint that a start of the job has consumed meanwhile is not written again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from eventlog.log import EventLog
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, startpoint_key_readings
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointType,
    StartpointUpcoming,
)
from eventlog.wire.startpoints import decode_startpoint
from managers.rewind.rewind_errors import InvalidRewind, RewindOutdated
from managers.rewind.rewind_plan import Move, RewindPlan
from managers.startpoints.concurrent_writes import named_events, write_unless_changed
from managers.startpoints.next_starts import StartpointFacts
from managers.startpoints.startpoint_records import REQUESTS, key_meanings, request_value, without_key_bucket
from managers.stores.coordinator_store import CoordinatorStreamStore

_MODEL: Final = ConfigDict(frozen=True, extra="forbid")

Values = Mapping[str, Sequence[bytes | None]]
"""The values that were written to each request since an offset, in order; None: it was deleted."""

FannedOut = Mapping[StartpointKey, Collection[str]]
"""Values of startpoints that are fanned out, as in requests, by each key that a request for them may have."""


class OldStart(BaseModel):
    """Where the next start would have begun a partition, as a startpoint."""

    model_config = _MODEL

    startpoint_type: StartpointType
    startpoint_value: str | None


class RequestChange(BaseModel):
    """A startpoint request that is written: its key, and its JSON on the log before and after (None: no request)."""

    model_config = _MODEL

    key_text: str
    before: str | None
    after: str | None
    old_start: OldStart | None = None


class UndoneRequest(NamedTuple):
    """A change of a rewind and the one that undoes it. ``is_started``: a start of the job has consumed the request."""

    done: RequestChange
    undo: RequestChange
    is_started: bool


def plan_requests(
    plan: RewindPlan, facts: StartpointFacts, stored: Mapping[str, bytes], created_ms: int
) -> tuple[RequestChange, ...]:
    """The requests of a plan, one for each partition of each task; ``stored`` are the current ones, by key.

    Raises:
        InvalidRewind: no key of a request means only this partition of this task.
    """
    meanings = key_meanings(facts.reads())
    changes: dict[str, RequestChange] = {}
    for move in plan.moves:
        key_text = _key_text(move, facts, meanings)
        before = stored.get(key_text)
        change = RequestChange(
            key_text=key_text,
            before=None if before is None else _text(key_text, before),
            after=request_value(StartpointSpecific(str(move.to_offset), created_ms)).decode(),
            old_start=_old_start(move),
        )
        if changes.setdefault(key_text, change).after != change.after:
            raise InvalidRewind(
                f"The key buckets of {move} have different targets, but one startpoint. Use one target."
            )
    return tuple(changes.values())


def written_requests(changes: Iterable[RequestChange], facts: StartpointFacts) -> dict[str, Startpoint]:
    """All requests of the job once these changes are written, by key."""
    written = {each.key_text: each.after for each in changes}
    kept = {key: each for key, each in facts.requests.items() if key not in written}
    return {**kept, **{key: decode_startpoint(text.encode()) for key, text in written.items() if text is not None}}


def values_since(log: EventLog, first: int, key_texts: Iterable[str]) -> Values:
    """The values that were written to these requests since an offset of the coordinator stream."""
    found: dict[str, list[bytes | None]] = {key_text: [] for key_text in key_texts}
    for event in named_events(log, first):
        if event.name.namespace == REQUESTS and event.name.key in found:
            found[event.name.key].append(event.value)
    return found


def write_missing(
    store: CoordinatorStreamStore,
    log: EventLog,
    first: int,
    changes: Sequence[RequestChange],
    task_names: Collection[str],
) -> int:
    """Write the changes that are not on the log since an offset, all of them or none, and return their number.

    More than half a megabyte of them is written in several appends; call again if the process is killed in between.

    Raises:
        StartpointsChanged: another writer has changed the startpoints; see `write_unless_changed`.
        AppendRefused: the log rejects the events.
    """
    values = values_since(log, first, [each.key_text for each in changes])
    all_of_them = {each.key_text: _bytes(each.after) for each in changes}
    missing = {key_text: value for key_text, value in all_of_them.items() if value not in values[key_text]}
    write_unless_changed(store, log, first, missing, task_names, written=all_of_them)
    return len(missing)


def undo_requests(changes: Iterable[RequestChange], values: Values, created_ms: int) -> list[UndoneRequest]:
    """The changes that undo those that were written; ``values`` are those since the undo file was written.

    A request that is still there is replaced by the one before it. If a start of the job has consumed it, the next
    start is requested where it would have been without the rewind.

    Raises:
        RewindOutdated: another writer has changed one of the requests.
    """
    return [each for change in changes for each in _undone(change, values[change.key_text], created_ms)]


def fanned_out_values(facts: StartpointFacts) -> FannedOut:
    """The startpoints that are fanned out to tasks which have not consumed them."""
    found: dict[StartpointKey, set[str]] = {}
    for task_name, startpoints in facts.fanned_out.items():
        for partition, startpoint in startpoints.items():
            value = request_value(startpoint).decode()
            for key in (StartpointKey(partition), StartpointKey(partition, TaskName(task_name))):
                found.setdefault(key, set()).add(value)
    return found


def is_fanned_out(change: RequestChange, fanned_out: FannedOut) -> bool:
    """Whether the startpoint of a change is fanned out to a task that has not consumed it."""
    return any(change.after in fanned_out.get(key, ()) for key in startpoint_key_readings(change.key_text))


def startpoint_of(startpoint_type: StartpointType, value: str | None, created_ms: int) -> Startpoint:
    """The startpoint with a type and a value, as in the relations."""
    match startpoint_type:
        case "specific":
            return StartpointSpecific(value, created_ms)
        case "timestamp":
            return StartpointTimestamp(None if value is None else int(value), created_ms)
        case "oldest":
            return StartpointOldest(created_ms)
    return StartpointUpcoming(created_ms)


def _undone(change: RequestChange, values: Sequence[bytes | None], created_ms: int) -> list[UndoneRequest]:
    written = _bytes(change.after)
    if written not in values:
        return []
    if values[-1] == written:
        before = _before(change, values[: values.index(written)])
        restored = RequestChange(key_text=change.key_text, before=change.after, after=before)
        return [UndoneRequest(change, restored, is_started=False)]
    if values[-1] is not None or change.old_start is None:
        raise _changed_request(change.key_text)
    old = startpoint_of(change.old_start.startpoint_type, change.old_start.startpoint_value, created_ms)
    back = RequestChange(key_text=change.key_text, before=None, after=request_value(old).decode())
    return [UndoneRequest(change, back, is_started=True)]


def _before(change: RequestChange, others: Sequence[bytes | None]) -> str | None:
    """The request that a change has replaced: another writer may have written one after the plan was checked."""
    if not others:
        return change.before
    return None if others[-1] is None else _text(change.key_text, others[-1])


def _changed_request(key_text: str) -> RewindOutdated:
    return RewindOutdated(
        f"The startpoint request {key_text!r} was changed by another writer. Look at "
        "`coordstream startpoint show --history`, and make a new plan."
    )


def _key_text(move: Move, facts: StartpointFacts, meanings: Mapping[str, frozenset[StartpointKey]]) -> str:
    """The key for this task only; if it is ambiguous and no other task reads the partition, that for every task."""
    partition = without_key_bucket(move.partition)
    own = str(StartpointKey(partition, TaskName(move.task_name)))
    if len(meanings.get(own, ())) == 1:
        return own
    whole = str(StartpointKey(partition))
    if _readers(facts, partition) == {move.task_name} and len(meanings.get(whole, ())) == 1:
        return whole
    raise InvalidRewind(
        f"The startpoint request {own!r} has several meanings, so Samza would ignore it. Stop the job, and use "
        "--checkpoints."
    )


def _readers(facts: StartpointFacts, partition: SystemStreamPartition) -> set[str]:
    reads = facts.reads().items()
    return {task for task, partitions in reads if partition in map(without_key_bucket, partitions)}


def _old_start(move: Move) -> OldStart:
    if move.startpoint_type is None:
        return OldStart(startpoint_type="specific", startpoint_value=str(move.from_offset))
    return OldStart(startpoint_type=move.startpoint_type, startpoint_value=move.startpoint_value)


def _text(key_text: str, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise InvalidRewind(f"The startpoint request {key_text!r} is not UTF-8. Delete it first.") from None


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
