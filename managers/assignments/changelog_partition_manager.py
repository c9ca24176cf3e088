"""Which partition of the changelogs each task writes its state to (ChangelogPartitionManager, seed 000)."""

from collections.abc import Iterable, Mapping
from threading import RLock
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import Delete, Envelope, Message, SetChangelogMapping
from managers.assignments.changelog_errors import ChangelogRemap, ChangelogRemapped
from managers.assignments.changelogs import assign_changelog_partitions
from managers.checkpoints.task_checkpoints import require_task_name
from managers.signature import JOB_COORDINATOR, make_envelope, mark_forced
from managers.signed_messages import SignedMessages, sign
from managers.stores.coordinator_store import CoordinatorStreamStore

_PARTITIONS: Final = range(2**31)


class ChangelogPartitionManager:
    """Reads and writes the changelog partitions of tasks, over a store that is its owner's to open and close.

    A task keeps its partition for ever: only by force it gets another, and that is told in the source of its message.
    Each task has a message of its own; what one call writes is written as `CoordinatorStreamStore.write` does: as a
    whole. Released Samza's ChangelogStreamManager. Safe for threads, but not for two job coordinators of a job at once.
    """

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str = JOB_COORDINATOR, clock: Clock = system_clock
    ) -> None:
        """``source`` is told as the writer."""
        self._source: Final = source
        self._clock: Final = clock
        self._messages: Final = SignedMessages(store, source, clock)
        self._lock: Final = RLock()

    def read_change_log_partition_mapping(self) -> Mapping[str, int]:
        """The changelog partition of each task that has one, also of tasks that the job has no more; can't be changed.

        Raises:
            NotReady: the store is not open.
        """
        said = self._messages.read(SetChangelogMapping)
        return MappingProxyType({message.task_name: message.changelog_partition for message in said})

    def write_change_log_partition_mapping(self, mapping: Mapping[str, int | None], *, force: bool = False) -> None:
        """Say which partitions tasks have; None deletes a task's, and other tasks keep theirs.

        Raises:
            ChangelogRemapped: a task would get another partition than it has; nothing was written.
            TypeError: a task is no text, or a partition no number; nothing was written.
            ValueError: a partition is negative, or has more than 32 bits; nothing was written.
            NotReady: the store is not open.
        """
        told = make_envelope(mark_forced(self._source), clock=self._clock) if force else None
        with self._lock:
            known = self.read_change_log_partition_mapping()
            self._messages.write(changelog_messages(known, mapping, forced_by=told))

    def read_partition_mapping(self) -> Mapping[str, int]:
        """See `read_change_log_partition_mapping`: its name in released Samza."""
        return self.read_change_log_partition_mapping()

    def write_partition_mapping(self, mapping: Mapping[str, int | None], *, force: bool = False) -> None:
        """See `write_change_log_partition_mapping`: its name in released Samza."""
        self.write_change_log_partition_mapping(mapping, force=force)

    def update_partition_mapping(
        self, previous: Mapping[str, int], new: Mapping[str, int | None], *, force: bool = False
    ) -> None:
        """Write both mappings; where both have a task, the previous one counts.

        Raises as `write_change_log_partition_mapping`.
        """
        self.write_change_log_partition_mapping({**new, **previous}, force=force)

    def assign(self, task_names: Iterable[str]) -> Mapping[str, int]:
        """The partitions of tasks: those that they have, and the next ones for the others, which are written.

        The mapping then holds these tasks alone.

        Raises:
            TypeError: a task is no text, or one text was given in place of several; nothing was written.
            NotReady: the store is not open.
        """
        names = _names(task_names)
        with self._lock:
            known = self.read_change_log_partition_mapping()
            assigned = assign_changelog_partitions(names, known)
            self._messages.write(
                changelog_messages(known, {task: assigned[task] for task in assigned if task not in known})
            )
        return MappingProxyType(assigned)

    def close(self) -> None:
        """Do nothing: the store is closed by its owner."""


ChangelogStreamManager = ChangelogPartitionManager
"""The name in released Samza."""


def changelog_messages(
    known: Mapping[str, int], mapping: Mapping[str, int | None], *, forced_by: Envelope | None = None
) -> list[Message]:
    """What says which partitions tasks have, where they are known to have others; ``forced_by`` signs what is forced.

    Raises as `ChangelogPartitionManager.write_change_log_partition_mapping`.
    """
    messages = [_message(task_name, partition) for task_name, partition in mapping.items()]
    moved = remaps(known, mapping)
    if not moved:
        return messages
    if forced_by is None:
        raise ChangelogRemapped(moved)
    tasks = {change.task_name for change in moved}
    return [sign(message, forced_by) if message.key in tasks else message for message in messages]


def remaps(known: Mapping[str, int], mapping: Mapping[str, int | None]) -> list[ChangelogRemap]:
    """The tasks that a mapping gives another partition than they are known to have, sorted by name."""
    return [
        ChangelogRemap(task_name, known[task_name], partition)
        for task_name, partition in sorted(mapping.items())
        if partition is not None and known.get(task_name, partition) != partition
    ]


def _names(task_names: Iterable[str]) -> list[str]:
    if isinstance(task_names, str):  # its letters would be tasks with partitions for ever
        raise TypeError(f"task_names must be a list of strings, not the string {task_names!r}")
    names = list(task_names)
    for task_name in names:
        require_task_name(task_name)
    return names


def _message(task_name: str, partition: int | None) -> Message:
    require_task_name(task_name)
    if partition is None:
        return Delete(message_type=SetChangelogMapping.message_type, key=task_name)
    if type(partition) is not int:
        raise TypeError(f"the changelog partition of task {task_name!r} must be a number, not {partition!r}")
    if partition not in _PARTITIONS:
        raise ValueError(f"the changelog partition of task {task_name!r} must be from 0 to 2147483647, not {partition}")
    return SetChangelogMapping(task_name=task_name, changelog_partition=partition)
