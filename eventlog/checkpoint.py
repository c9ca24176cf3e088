"""Checkpoints: how far a task has read, in the two versions that Samza writes."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from eventlog.errors import WireError
from eventlog.frozen_dict import frozen, frozen_each
from eventlog.partition import SystemStreamPartition, parse_int64

NANOS_OF_AN_ID: Final = 1_000_000

Offsets = Mapping[SystemStreamPartition, str | None]
StateMarkers = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, order=True)
class CheckpointId:
    """The id of one commit: the wall clock in ms since 1970 and the low digits of a nanosecond clock (CheckpointId)."""

    millis: int
    nanos: int

    @classmethod
    def create(cls, now_ms: int | None = None, nano_time: int | None = None) -> "CheckpointId":
        """A new id at ``now_ms``, with the last six digits of ``nano_time``; by default those of the clock."""
        clock = time.time_ns()
        millis = clock // 1_000_000 if now_ms is None else now_ms
        return cls(millis, (clock if nano_time is None else nano_time) % NANOS_OF_AN_ID)

    @classmethod
    def parse(cls, text: str) -> "CheckpointId":
        """Read ``<millis>-<nanos>``; raises `WireError` (``bad_checkpoint_id``).

        As in Samza, dashes at the end and everything after a second dash are ignored (Java's split drops empty parts).
        """
        parts = text.rstrip("-").split("-")
        if len(parts) < 2:
            raise WireError("bad_checkpoint_id", "a checkpoint id is not written as <millis>-<nanos>")
        return cls(
            parse_int64(parts[0], "bad_checkpoint_id", "the first part of a checkpoint id"),
            parse_int64(parts[1], "bad_checkpoint_id", "the second part of a checkpoint id"),
        )

    @property
    def nano_id(self) -> int:
        """The name of ``nanos`` in released Samza."""
        return self.nanos

    def __str__(self) -> str:
        return f"{self.millis}-{self.nanos}"


@dataclass(frozen=True, slots=True)
class CheckpointV1:
    """Last processed offset of each input partition and changelog of a task, in the order of the stored bytes.

    An offset may be None: nothing was processed, or the changelog is empty. ``offsets`` is a read-only copy.
    """

    offsets: Offsets

    def __post_init__(self) -> None:
        _refuse_none("offsets", self.offsets)
        object.__setattr__(self, "offsets", frozen(self.offsets))

    def __hash__(self) -> int:
        return hash(frozenset(self.offsets.items()))


@dataclass(frozen=True, slots=True)
class CheckpointV2:
    """Last processed offsets of a task's inputs, and a marker's text for each state backend factory and store.

    ``duplicates`` names the partitions that occurred twice in the bytes, of which the last is used; it is ignored when
    checkpoints are compared. The mappings are read-only copies. An offset of None cannot be written, because Samza
    does not read null in this version.
    """

    checkpoint_id: CheckpointId | None
    offsets: Offsets
    state_markers: StateMarkers
    duplicates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _refuse_none("offsets", self.offsets)
        _refuse_none("state_markers", self.state_markers)
        object.__setattr__(self, "offsets", frozen(self.offsets))
        object.__setattr__(self, "state_markers", frozen_each(self.state_markers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CheckpointV2) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.checkpoint_id, frozenset(self.offsets.items())))

    def without_offset(self) -> SystemStreamPartition | None:
        """The first partition, by name, whose offset is None; None if all have one."""
        return min((partition for partition, offset in self.offsets.items() if offset is None), default=None)

    def _content(self) -> tuple[CheckpointId | None, Offsets, StateMarkers]:
        return self.checkpoint_id, self.offsets, self.state_markers


Checkpoint = CheckpointV1 | CheckpointV2


def _refuse_none(name: str, value: object) -> None:
    if value is None:
        raise ValueError(f"{name} of a checkpoint is None. Use an empty mapping.")
