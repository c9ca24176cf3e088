"""Where a task starts to read a partition: startpoint, reset, checkpoint or default, in this order (OffsetManager)."""

from dataclasses import dataclass
from typing import Literal

from eventlog.config import OffsetSettings
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointType, is_expired

DecidedBy = Literal["startpoint", "reset", "checkpoint", "default"]
IgnoredReason = Literal["older", "expired", "ambiguous", "replaced", "no place", "startpoint", "reset"]
"""Why a candidate does not decide; the relation ``starting_offset`` has the same codes.

A startpoint: ``older`` than another one, ``expired``, ``ambiguous``, ``replaced`` by a newer fan-out, ``no place`` (it
has no offset or time).
A checkpoint: ``startpoint`` or ``reset``, which take precedence.
"""


@dataclass(frozen=True, slots=True)
class StartingOffset:
    """The decision for one task and partition.

    ``starting_offset`` is the first offset to read, None if only the input system knows it. For a decision by reset or
    default, ``startpoint_type`` says which end of the input is meant. ``ignored_reason`` says why the best of the other
    candidates is ignored.
    """

    decided_by: DecidedBy
    startpoint_type: StartpointType | None = None
    startpoint_value: str | None = None
    starting_offset: str | None = None
    ignored_reason: IgnoredReason | None = None


def effective_startpoint(ssp_wide: Startpoint | None, with_task: Startpoint | None) -> Startpoint | None:
    """The newer of the startpoints for every task and for this task; the latter if their times are equal."""
    if ssp_wide is None or with_task is None:
        return with_task if ssp_wide is None else ssp_wide
    return ssp_wide if ssp_wide.creation_timestamp > with_task.creation_timestamp else with_task


def decide(
    settings: OffsetSettings,
    partition: SystemStreamPartition,
    *,
    requested: Startpoint | None,
    fanned_out: Startpoint | None,
    checkpoint_offset: str | None,
    now_ms: int,
) -> StartingOffset:
    """Where the next start of the job, at ``now_ms``, reads a partition from.

    ``requested`` is the effective startpoint that is not fanned out yet, and may have expired; ``fanned_out`` is that
    of the task, which does not expire. ``checkpoint_offset`` is the last processed offset. Raises `ConfigError`.
    """
    live = requested if requested is not None and not is_expired(requested, now_ms) else None
    startpoint = live or fanned_out
    reset = settings.is_reset(partition.system, partition.stream)
    if startpoint is not None and not _has_no_place(startpoint):
        return _by_startpoint(startpoint, checkpoint_offset)
    ignored = _why_startpoint_lost(requested, startpoint)
    if reset or checkpoint_offset is None:
        default = settings.default_offset(partition.system, partition.stream)
        if ignored is None and checkpoint_offset is not None:
            ignored = "reset"
        return StartingOffset("reset" if reset else "default", default, ignored_reason=ignored)
    following = settings.next_offset(partition.system, checkpoint_offset)
    return StartingOffset("checkpoint", starting_offset=following, ignored_reason=ignored)


def _by_startpoint(startpoint: Startpoint, checkpoint_offset: str | None) -> StartingOffset:
    return StartingOffset(
        "startpoint",
        startpoint.kind,
        startpoint.value,
        startpoint.value if startpoint.kind == "specific" else None,
        None if checkpoint_offset is None else "startpoint",
    )


def _has_no_place(startpoint: Startpoint) -> bool:
    return startpoint.kind in ("specific", "timestamp") and not startpoint.value


def _why_startpoint_lost(requested: Startpoint | None, startpoint: Startpoint | None) -> IgnoredReason | None:
    if startpoint is not None:
        return "no place"
    return None if requested is None else "expired"
