"""Startpoints: requests to read a partition from another place (Samza's package ``org.apache.samza.startpoint``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Generic, Literal, NoReturn, TypeVar

from eventlog.errors import EventLogError
from eventlog.frozen_dict import FrozenFields
from eventlog.partition import SystemStreamPartition
from eventlog.timestamps import current_ms

In = TypeVar("In")
Out = TypeVar("Out")
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
StartpointType = Literal["specific", "timestamp", "oldest", "upcoming"]

EXPIRY_MS: Final = 12 * 60 * 60 * 1000
"""How long a requested startpoint is valid (StartpointManager.DEFAULT_EXPIRATION_DURATION)."""


class _Visited:
    """What a visitor visits."""

    __slots__ = ()
    kind: ClassVar[StartpointType]

    def apply(self, given: In, visitor: "StartpointVisitor[In, Out]") -> Out:
        """Call the method of a visitor for this kind."""
        visited: Out = getattr(visitor, f"visit_{self.kind}")(given, self)
        return visited


@dataclass(frozen=True, slots=True)
class StartpointSpecific(_Visited):
    """Read from this offset on (inclusive). ``creation_timestamp``, of all kinds: ms since 1970, by default now."""

    specific_offset: str | None
    creation_timestamp: int = field(default_factory=current_ms)
    kind: ClassVar[StartpointType] = "specific"

    @property
    def value(self) -> str | None:
        return self.specific_offset


@dataclass(frozen=True, slots=True)
class StartpointTimestamp(_Visited):
    """Read from the first event that is not older than ``timestamp_offset`` (ms since 1970)."""

    timestamp_offset: int | None
    creation_timestamp: int = field(default_factory=current_ms)
    kind: ClassVar[StartpointType] = "timestamp"

    @property
    def value(self) -> str | None:
        return None if self.timestamp_offset is None else str(self.timestamp_offset)


@dataclass(frozen=True, slots=True)
class StartpointOldest(_Visited):
    """Read from the oldest event that the input still has."""

    creation_timestamp: int = field(default_factory=current_ms)
    kind: ClassVar[StartpointType] = "oldest"
    value: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class StartpointUpcoming(_Visited):
    """Read only what is written from now on."""

    creation_timestamp: int = field(default_factory=current_ms)
    kind: ClassVar[StartpointType] = "upcoming"
    value: ClassVar[None] = None


Startpoint = StartpointSpecific | StartpointTimestamp | StartpointOldest | StartpointUpcoming


@dataclass(frozen=True, slots=True)
class StartpointFanOut(FrozenFields):
    """The startpoints fanned out to one task, by partition (read-only); ``timestamp`` is when, in ms since 1970."""

    timestamp: int | None
    fan_outs: Mapping[SystemStreamPartition, Startpoint]


DecidedBy = Literal["startpoint", "reset", "checkpoint", "default"]


@dataclass(frozen=True, slots=True)
class StartingOffset:
    """The decision for one task and partition.

    ``starting_offset`` is the first offset to read, None if only the input system knows it. For a decision by reset or
    default, ``startpoint_type`` says which end of the input is meant.
    """

    decided_by: DecidedBy
    startpoint_type: StartpointType | None = None
    startpoint_value: str | None = None
    starting_offset: str | None = None


def is_expired(startpoint: Startpoint, now_ms: int) -> bool:
    """Whether a requested startpoint is 12 hours old or more at ``now_ms``, so that Samza ignores it."""
    return now_ms - startpoint.creation_timestamp >= EXPIRY_MS


def effective_startpoint(ssp_wide: Startpoint | None, with_task: Startpoint | None) -> Startpoint | None:
    """The newer of the startpoints for every task and for this task; the latter if their times are equal."""
    if ssp_wide is None or with_task is None:
        return with_task if ssp_wide is None else ssp_wide
    return ssp_wide if ssp_wide.creation_timestamp > with_task.creation_timestamp else with_task


class StartpointNotSupported(EventLogError, NotImplementedError):
    """A visitor does not support a kind of startpoint."""

    def __init__(self, kind: str, visitor: str, given: object) -> None:
        self.kind = kind
        self.visitor = visitor
        super().__init__(f"{kind} is not supported by {visitor} for {given}. Use another kind of startpoint.")


class StartpointVisitor(Generic[In_contra, Out_co]):
    """What to do with each kind of startpoint (StartpointVisitor of Samza): a base class for visitors.

    ``startpoint.apply(given, visitor)`` calls the method of its kind. A method that is not overridden raises
    `StartpointNotSupported`.
    """

    def visit_specific(self, given: In_contra, startpoint: StartpointSpecific) -> Out_co:
        self._refuse(given, startpoint)

    def visit_timestamp(self, given: In_contra, startpoint: StartpointTimestamp) -> Out_co:
        self._refuse(given, startpoint)

    def visit_oldest(self, given: In_contra, startpoint: StartpointOldest) -> Out_co:
        self._refuse(given, startpoint)

    def visit_upcoming(self, given: In_contra, startpoint: StartpointUpcoming) -> Out_co:
        self._refuse(given, startpoint)

    def _refuse(self, given: object, startpoint: object) -> NoReturn:
        raise StartpointNotSupported(type(startpoint).__name__, type(self).__name__, given)
