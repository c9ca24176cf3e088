"""Where a task starts to read a partition: startpoint, reset, checkpoint or default, in this order (OffsetManager)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from eventlog.config_values import boolean
from eventlog.errors import ConfigError
from eventlog.inputs import inputs
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointType, is_expired
from eventlog.system_admin import offset_after

__all__ = [
    "IgnoredReason",
    "StartingOffset",
    "decide",
    "default_offset",
    "effective_startpoint",
    "inputs",
    "is_reset",
    "next_offset",
    "refuse_unknown_defaults",
]

DecidedBy = Literal["startpoint", "reset", "checkpoint", "default"]
DefaultOffset = Literal["oldest", "upcoming"]
IgnoredReason = Literal["older", "expired", "ambiguous", "replaced", "no place", "unresolved", "startpoint", "reset"]
"""Why a candidate does not decide; the relation ``starting_offset`` has the same codes.

A startpoint: ``older`` than another one, ``expired``, ``ambiguous``, ``replaced`` by a newer fan-out, ``no place`` (it
has no offset or time), ``unresolved`` (the input system could not resolve it: only a start finds out, so never in SQL).
A checkpoint: ``startpoint`` or ``reset``, which take precedence.
"""
Config = Mapping[str, str]

KAFKA_SYSTEM_FACTORY: Final = "org.apache.samza.system.kafka.KafkaSystemFactory"

_OFFSET_DEFAULT: Final = "samza.offset.default"
_OFFSET_RESET: Final = "samza.reset.offset"


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


def default_offset(config: Config, system: str, stream: str) -> DefaultOffset:
    """Where to start without a checkpoint: the setting of the stream, of the system's streams, or of the system.

    ``upcoming`` by default. Raises `ConfigError` for a value that is neither ``oldest`` nor ``upcoming``.
    """
    for name in (*_stream_keys(system, stream, _OFFSET_DEFAULT), f"systems.{system}.{_OFFSET_DEFAULT}"):
        value = config.get(name)
        if value is not None:
            return _default_offset(name, value)
    return "upcoming"


def refuse_unknown_defaults(config: Config) -> None:
    """Raise `ConfigError` if the default offset of an input has an unknown value.

    If config does not name the inputs, every default offset in it is checked.
    """
    known = inputs(config)
    if known is not None:
        for system, stream in sorted(known):
            default_offset(config, system, stream)
        return
    for name, value in sorted(config.items()):
        if name.startswith("systems.") and name.endswith(f".{_OFFSET_DEFAULT}"):
            _default_offset(name, value)


def is_reset(config: Config, system: str, stream: str) -> bool:
    """Whether the checkpoints of a stream are to be ignored (``…samza.reset.offset=true``)."""
    names = _stream_keys(system, stream, _OFFSET_RESET)
    return next((boolean(config, name, default=False) for name in names if name in config), False)


def next_offset(config: Config, system: str, offset: str) -> str | None:
    """The offset after a processed one: one more for Samza's Kafka system; None if only the system knows it."""
    return offset_after(offset) if config.get(f"systems.{system}.samza.factory") == KAFKA_SYSTEM_FACTORY else None


def decide(
    config: Config,
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
    reset = is_reset(config, partition.system, partition.stream)
    if startpoint is not None and not _has_no_place(startpoint):
        return _by_startpoint(startpoint, checkpoint_offset)
    ignored = _why_startpoint_lost(requested, startpoint)
    if reset or checkpoint_offset is None:
        default = default_offset(config, partition.system, partition.stream)
        if ignored is None and checkpoint_offset is not None:
            ignored = "reset"
        return StartingOffset("reset" if reset else "default", default, ignored_reason=ignored)
    following = next_offset(config, partition.system, checkpoint_offset)
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


def _default_offset(name: str, value: str) -> DefaultOffset:
    match value.strip().lower():
        case "oldest":
            return "oldest"
        case "upcoming":
            return "upcoming"
    raise ConfigError(f"Invalid value of {name}. Expected oldest or upcoming.")


def _stream_keys(system: str, stream: str, name: str) -> tuple[str, str]:
    return f"systems.{system}.streams.{stream}.{name}", f"systems.{system}.default.stream.{name}"
