"""Where tasks start to read: the rules of `eventlog.starting_offset`, and what only the input systems can tell."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple

from eventlog.errors import EventLogError
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset, decide
from eventlog.startpoint import Startpoint
from eventlog.system_admin import SystemAdmin, SystemStreamMetadata, SystemStreamPartitionMetadata
from managers.offsets.offset_errors import NoMetadata, UnknownSystem
from managers.offsets.refused_startpoint import RefusedStartpoint

_UNRESOLVED: Final = "startpoint: it could not be resolved"


class Asked(NamedTuple):
    """A partition that a task is about to read, the last offset that it has processed, and the startpoint it holds."""

    task_name: str
    partition: SystemStreamPartition
    checkpoint_offset: str | None = None
    startpoint: Startpoint | None = None


class Start(NamedTuple):
    """The first offset to read, None where not even the system can tell it, and how that was decided."""

    offset: str | None
    decision: StartingOffset


@dataclass(frozen=True)
class StartingPlaces:
    """Where each partition of each task starts (OffsetManager of Samza: its start)."""

    starts: Mapping[tuple[str, SystemStreamPartition], Start]
    refused: Sequence[RefusedStartpoint]

    @classmethod
    def find(
        cls, config: Mapping[str, str], admins: Mapping[str, SystemAdmin], asked: Iterable[Asked]
    ) -> "StartingPlaces":
        """Ask the systems no more than is needed: of a stream's ends only where a task starts at one.

        Raises:
            ConfigError: a default offset in config is neither oldest nor upcoming.
            UnknownSystem: a partition's system has no admin.
            NoMetadata: a partition that starts at an end of its stream is not known to its system.
        """
        finder = _Finder(config, admins)
        wanted = list(asked)
        starts = {(one.task_name, one.partition): start for one, start in finder.find(wanted)}
        return cls(starts, tuple(finder.refused))


class _Finder:
    def __init__(self, config: Mapping[str, str], admins: Mapping[str, SystemAdmin]) -> None:
        self._config: Final = config
        self._admins: Final = admins
        self.refused: Final[list[RefusedStartpoint]] = []

    def find(self, asked: Sequence[Asked]) -> Iterator[tuple[Asked, Start]]:
        decided = [(one, self._decide(one)) for one in asked]
        yield from ((one, start) for one, start in decided if start.decision.decided_by == "startpoint")
        yield from self._after_checkpoints([each for each in decided if each[1].decision.decided_by == "checkpoint"])
        yield from self._at_ends([each for each in decided if each[1].decision.decided_by in ("default", "reset")])

    def _decide(self, one: Asked) -> Start:
        admin = _admin_of(self._admins, one.partition.system)
        decision = self._decision(one, one.startpoint)
        if one.startpoint is None:
            return Start(None, decision)
        if decision.decided_by != "startpoint":
            self._refuse(one, one.startpoint, "it names no place")
            return Start(None, decision)
        offset = self._resolved(admin, one, one.startpoint)
        if offset is not None:
            return Start(offset, decision)
        return Start(None, replace(self._decision(one, None), ignored_reason=_UNRESOLVED))

    def _decision(self, one: Asked, startpoint: Startpoint | None) -> StartingOffset:
        return decide(
            self._config,
            one.partition,
            requested=None,
            fanned_out=startpoint,  # it never expires, so that no clock is needed
            checkpoint_offset=one.checkpoint_offset,
            now_ms=0,
        )

    def _resolved(self, admin: SystemAdmin, one: Asked, startpoint: Startpoint) -> str | None:
        try:
            offset = admin.resolve_startpoint_to_offset(one.partition, startpoint)
        except Exception as error:  # as in Samza, whatever it is: the job starts without it
            self._refuse(one, startpoint, f"its system failed ({_said(error)})")
            return None
        if offset is None or not offset.strip():
            self._refuse(one, startpoint, "its system knows no such place")
            return None
        return offset

    def _refuse(self, one: Asked, startpoint: Startpoint, reason: str) -> None:
        self.refused.append(RefusedStartpoint(one.task_name, one.partition, startpoint, reason))

    def _after_checkpoints(self, decided: Sequence[tuple[Asked, Start]]) -> Iterator[tuple[Asked, Start]]:
        """One question for each task and system: a broadcast partition has an offset for each of its tasks."""
        for (_, system), each in groupby(sorted(decided, key=_task_and_system), key=_task_and_system):
            group = list(each)
            offsets = {one.partition: one.checkpoint_offset or "" for one, _ in group}
            after = _admin_of(self._admins, system).get_offsets_after(offsets)
            yield from ((one, start._replace(offset=after.get(one.partition))) for one, start in group)

    def _at_ends(self, decided: Sequence[tuple[Asked, Start]]) -> Iterator[tuple[Asked, Start]]:
        """One question for each system."""
        known: dict[str, Mapping[str, SystemStreamMetadata]] = {}
        for system in sorted({one.partition.system for one, _ in decided}):
            streams = sorted({one.partition.stream for one, _ in decided if one.partition.system == system})
            known[system] = _admin_of(self._admins, system).get_system_stream_metadata(streams)
        for one, start in decided:
            metadata = _metadata_of(known[one.partition.system], one.partition)
            yield one, start._replace(offset=_end(metadata, start.decision.startpoint_type))


def _end(metadata: SystemStreamPartitionMetadata, wanted: str | None) -> str | None:
    """An empty partition has no oldest offset: it starts with the first that will come."""
    oldest = metadata.oldest_offset if wanted == "oldest" else None
    return metadata.upcoming_offset if oldest is None else oldest


def _metadata_of(
    streams: Mapping[str, SystemStreamMetadata], partition: SystemStreamPartition
) -> SystemStreamPartitionMetadata:
    stream = streams.get(partition.stream)
    if stream is None:
        raise NoMetadata(partition.system, partition.stream)
    metadata = stream.partitions.get(partition.partition)
    if metadata is None:
        raise NoMetadata(partition.system, partition.stream, partition.partition)
    return metadata


def _admin_of(admins: Mapping[str, SystemAdmin], system: str) -> SystemAdmin:
    admin = admins.get(system)
    if admin is None:
        raise UnknownSystem(system)
    return admin


def _task_and_system(decided: tuple[Asked, Start]) -> tuple[str, str]:
    return decided[0].task_name, decided[0].partition.system


def _said(error: Exception) -> str:
    """What one of our errors says; of others the kind only, since their text may repeat what was sent."""
    return str(error) if isinstance(error, EventLogError) else type(error).__name__
