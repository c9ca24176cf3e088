"""The undo file of a rewind: what it replaces. It is on disk before the first write, and never changes.

How far an interrupted rewind came, and what has happened since, is on the log.
"""

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eventlog.log import EventLog
from eventlog.startpoint import Startpoint, StartpointSpecific
from eventlog.wire.startpoints import encode_startpoint
from managers.rewind.rewind_plan import Move, RewindError, RewindPlan
from managers.startpoints.startpoint_records import FAN_OUTS, TaskPartitions, key_meanings, read_fan_out, request_key
from managers.startpoints.startpoint_request import startpoint_events


class UndoFile(BaseModel):
    """The startpoint requests that a rewind replaces; its own are created at ``created_ms``, from ``log_offset`` on.

    ``requests`` are the values of before by the texts of their keys, None if there was none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: RewindPlan
    log_offset: NonNegativeInt
    created_ms: int
    requests: dict[str, str | None]


def requests_of(plan: RewindPlan, reads: TaskPartitions, created_ms: int) -> dict[str, StartpointSpecific]:
    """The requests of a plan by the texts of their keys. Raises `RewindError` if a key is ambiguous."""
    requests, meanings = dict(_request(move, created_ms) for move in plan.moves), key_meanings(reads)
    for key_text in requests:
        if len(meanings.get(key_text, ())) != 1:
            raise RewindError(
                f"The key {key_text!r} of a startpoint request is ambiguous, because names in it contain dots: Samza "
                "would ignore it. Stop the job, and use `coordstream checkpoint write`."
            )
    return requests


def undone_requests(saved: UndoFile, log: EventLog, now_ms: int, *, force: bool) -> dict[str, bytes | None]:
    """What undoes requests that were written. A request of before comes back.

    ``force``: where the next start would have begun is requested, if a start of the job has fanned the request out.
    Raises `RewindError`: it has, or another writer has changed a request; and `StartpointUnreadable` for a fan-out.
    """
    values: dict[str, list[bytes | None]] = {}
    followed, tasks = set[tuple[str, Startpoint]](), {move.task_name for move in saved.plan.moves}
    for name, value in startpoint_events(log, saved.log_offset):
        if name.namespace != FAN_OUTS:
            values.setdefault(name.key, []).append(value)
        elif value and name.key in tasks:
            fan_outs = read_fan_out(name, value).fan_outs.items()
            followed |= {(request_key(partition, name.key).key, startpoint) for partition, startpoint in fan_outs}
    undone: dict[str, bytes | None] = {}
    for move in saved.plan.moves:
        key_text, request = _request(move, saved.created_ms)
        text = saved.requests.get(key_text)
        before = None if text is None else text.encode()
        match values.get(key_text, []):
            case [*earlier, last] if last == encode_startpoint(request):
                undone[key_text] = earlier[-1] if earlier else before
            case [*_, None] if (key_text, request) in followed:
                if not force:
                    raise RewindError(
                        f"Too late to undo: the job has started from the startpoint request {key_text!r}. "
                        "Use --force to request the offsets from which it would have started without the rewind."
                    )
                undone[key_text] = encode_startpoint(StartpointSpecific(str(move.from_offset), now_ms))
            case [*_, last] if last != before:
                raise RewindError(
                    f"The startpoint request {key_text!r} was changed by another writer. Look at "
                    "`coordstream startpoint show --history`."
                )
    return undone


def _request(move: Move, created_ms: int) -> tuple[str, StartpointSpecific]:
    key = request_key(move.partition, move.task_name).key
    return key, StartpointSpecific(str(move.to_offset), created_ms)
