"""Startpoints: from where a job is asked to read next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeVar

from eventlog.frozen_dict import frozen
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint_visitor import StartpointVisitor

In = TypeVar("In")
Out = TypeVar("Out")
StartpointType = Literal["specific", "timestamp", "oldest", "upcoming"]

EXPIRY_MS: Final = 12 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class StartpointSpecific:
    """Read from this offset on (the offset itself is read). ``creation_timestamp`` in ms since 1970, on all kinds."""

    specific_offset: str | None
    creation_timestamp: int
    kind: ClassVar[StartpointType] = "specific"

    @property
    def value(self) -> str | None:
        return self.specific_offset

    def apply(self, given: In, visitor: StartpointVisitor[In, Out]) -> Out:
        """What the visitor makes of this kind, given something to go by."""
        return visitor.visit_specific(given, self)


@dataclass(frozen=True, slots=True)
class StartpointTimestamp:
    """Read from the first event that is not older than ``timestamp_offset`` (ms since 1970)."""

    timestamp_offset: int | None
    creation_timestamp: int
    kind: ClassVar[StartpointType] = "timestamp"

    @property
    def value(self) -> str | None:
        return None if self.timestamp_offset is None else str(self.timestamp_offset)

    def apply(self, given: In, visitor: StartpointVisitor[In, Out]) -> Out:
        """What the visitor makes of this kind, given something to go by."""
        return visitor.visit_timestamp(given, self)


@dataclass(frozen=True, slots=True)
class StartpointOldest:
    """Read from the oldest event that the input still has."""

    creation_timestamp: int
    kind: ClassVar[StartpointType] = "oldest"
    value: ClassVar[None] = None

    def apply(self, given: In, visitor: StartpointVisitor[In, Out]) -> Out:
        """What the visitor makes of this kind, given something to go by."""
        return visitor.visit_oldest(given, self)


@dataclass(frozen=True, slots=True)
class StartpointUpcoming:
    """Read only what is written from now on."""

    creation_timestamp: int
    kind: ClassVar[StartpointType] = "upcoming"
    value: ClassVar[None] = None

    def apply(self, given: In, visitor: StartpointVisitor[In, Out]) -> Out:
        """What the visitor makes of this kind, given something to go by."""
        return visitor.visit_upcoming(given, self)


Startpoint = StartpointSpecific | StartpointTimestamp | StartpointOldest | StartpointUpcoming


@dataclass(frozen=True, slots=True)
class StartpointFanOut:
    """The startpoints handed to one task, by partition (read-only); ``timestamp`` is when, in ms since 1970."""

    timestamp: int | None
    fan_outs: Mapping[SystemStreamPartition, Startpoint]

    def __post_init__(self) -> None:
        object.__setattr__(self, "fan_outs", frozen(self.fan_outs))

    def __hash__(self) -> int:
        return hash((self.timestamp, frozenset(self.fan_outs.items())))


def is_expired(startpoint: Startpoint, now_ms: int) -> bool:
    """Whether a request is too old to be followed: more than twelve hours at ``now_ms`` (seed 004)."""
    return now_ms - startpoint.creation_timestamp > EXPIRY_MS
