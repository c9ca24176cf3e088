"""The undo file of a rewind: what it replaces. It is on disk before the first write, and never changes.

How far an interrupted rewind came, and what has happened since, is on the log.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eventlog.checkpoint import Offsets
from eventlog.log import EventLog
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, startpoint_key_readings
from eventlog.startpoint import StartpointSpecific
from eventlog.wire.startpoints import encode_startpoint
from managers.rewind.rewind_plan import Move, RewindError, RewindFollowed, RewindPlan
from managers.startpoints.next_starts import StartpointFacts
from managers.startpoints.startpoint_records import FAN_OUTS, key_meanings, without_key_bucket
from managers.startpoints.startpoint_request import startpoint_events

_MODEL: Final = ConfigDict(frozen=True, extra="forbid")


class RequestChange(BaseModel):
    """A startpoint request, as JSON. ``old_offset`` is where the next start would have begun without it."""

    model_config = _MODEL

    key_text: str
    before: str | None
    after: str
    old_offset: NonNegativeInt


class OffsetsChange(BaseModel):
    """The input offsets in a task's checkpoint before (empty: no checkpoint) and after."""

    model_config = _MODEL

    task_name: str
    before: tuple[tuple[SystemStreamPartition, str | None], ...]
    after: tuple[tuple[SystemStreamPartition, str | None], ...]


class UndoFile(BaseModel):
    """What a rewind writes from ``log_offset`` on: startpoint requests, or checkpoints."""

    model_config = _MODEL

    plan: RewindPlan
    log_offset: NonNegativeInt
    requests: tuple[RequestChange, ...] = ()
    checkpoints: tuple[OffsetsChange, ...] = ()


def request_changes(plan: RewindPlan, facts: StartpointFacts, created_ms: int) -> tuple[RequestChange, ...]:
    """The requests of a plan, one for each partition of each task. Raises `RewindError` if a key is ambiguous."""
    meanings = key_meanings(facts.reads())
    return tuple(_request_change(move, facts, meanings, created_ms) for move in plan.moves)


def undone_requests(
    changes: Iterable[RequestChange], log: EventLog, first: int, created_ms: int, *, force: bool
) -> dict[str, bytes | None]:
    """What undoes requests that were written from an offset on. A request of before comes back.

    ``force``: where the next start would have begun is requested, if a start of the job has fanned the request out.
    Raises `RewindFollowed`: it has. Raises `RewindError`: another writer has changed a request.
    """
    values: dict[str, list[bytes | None]] = {}
    started: set[str] = set()
    for _, name, value in startpoint_events(log, first):
        if name.namespace != FAN_OUTS:
            values.setdefault(name.key, []).append(value)
        elif value:
            started.add(name.key)
    undone: dict[str, bytes | None] = {}
    for change in changes:
        before = None if change.before is None else change.before.encode()
        match values.get(change.key_text, []):
            case [*earlier, last] if last == change.after.encode():
                undone[change.key_text] = earlier[-1] if earlier else before
            case [*_, None] if any(key.task_name in started for key in startpoint_key_readings(change.key_text)):
                if not force:
                    raise RewindFollowed(
                        f"Too late to undo: the job has started from the startpoint request {change.key_text!r}. "
                        "Use --force to request the starting offsets of before."
                    )
                undone[change.key_text] = encode_startpoint(StartpointSpecific(str(change.old_offset), created_ms))
            case [*_, last] if last != before:
                raise RewindError(
                    f"The startpoint request {change.key_text!r} was changed by another writer. Look at "
                    "`coordstream startpoint show --history`."
                )
    return undone


def offsets_changes(plan: RewindPlan, current: Mapping[str, Offsets]) -> tuple[OffsetsChange, ...]:
    """The checkpoints of a plan: the last processed offset is one before the target."""
    targets: dict[str, dict[SystemStreamPartition, str | None]] = {}
    for move in plan.moves:
        targets.setdefault(move.task_name, {})[move.partition] = str(move.to_offset - 1)
    return tuple(
        OffsetsChange(
            task_name=task_name,
            before=tuple(sorted(current.get(task_name, {}).items())),
            after=tuple(sorted({**current.get(task_name, {}), **offsets}.items())),
        )
        for task_name, offsets in sorted(targets.items())
    )


def undone_offsets(
    changes: Iterable[OffsetsChange], current: Mapping[str, Offsets], *, force: bool
) -> dict[str, Offsets]:
    """The input offsets that undo what was written, by task.

    Without ``force``, raises `RewindFollowed` if a checkpoint is neither as before nor as after.
    """
    undone: dict[str, Offsets] = {}
    for change in changes:
        now, before = dict(current.get(change.task_name, {})), dict(change.before)
        if now not in (before, dict(change.after)) and not force:
            raise RewindFollowed(
                f"Too late to undo: the checkpoint of task {change.task_name!r} was written again. Look at "
                "`coordstream checkpoint history`, and use --force to restore the offsets of before."
            )
        if now != before:
            undone[change.task_name] = before
    return undone


def _request_change(
    move: Move, facts: StartpointFacts, meanings: Mapping[str, frozenset[StartpointKey]], created_ms: int
) -> RequestChange:
    key_text = str(StartpointKey(without_key_bucket(move.partition), TaskName(move.task_name)))
    if len(meanings.get(key_text, ())) != 1:
        raise RewindError(
            f"The startpoint request {key_text!r} has several meanings, so Samza would ignore it. Stop the job, and "
            "use --checkpoints."
        )
    before = facts.requests.get(key_text)
    return RequestChange(
        key_text=key_text,
        before=None if before is None else encode_startpoint(before).decode(),
        after=encode_startpoint(StartpointSpecific(str(move.to_offset), created_ms)).decode(),
        old_offset=move.from_offset,
    )
