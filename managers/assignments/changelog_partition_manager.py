"""ChangelogPartitionManager: the changelog partition of each task."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from eventlog.messages import Delete, Message, SetChangelogMapping
from eventlog.partition import is_int_within
from eventlog.wire.coordinator import encode_message
from managers.job_facts import ChangelogRemap, ChangelogRemapped
from managers.job_models.jvm_order import text_order
from managers.stored_messages import MessageManager, make_envelope, require_task_names, with_envelope
from managers.stores.keyed_state import NamespacedKey

_PARTITIONS: Final = range(2**31)


def assign_changelog_partitions(task_names: Iterable[str], previous: Mapping[str, int]) -> dict[str, int]:
    """The changelog partition of each task (JobModelManager of Samza): its previous one, or the next unused number.

    New tasks are numbered in the order of their names (``Partition 10`` before ``Partition 2``), after the greatest
    number that any task has (SAMZA-1012), from 0. Removed tasks have theirs until it is deleted: their state is still
    in the changelog.
    """
    following = max(previous.values(), default=-1) + 1
    numbers: dict[str, int] = {}
    for task_name in sorted(set(task_names), key=text_order):
        known = previous.get(task_name)
        numbers[task_name] = following if known is None else known
        following += known is None
    return numbers


class ChangelogPartitionManager(MessageManager):
    """Reads and writes the changelog partitions of tasks (ChangelogStreamManager of released Samza).

    A task keeps its partition until its mapping is deleted. Each task has its own message.
    """

    def read_change_log_partition_mapping(self) -> Mapping[str, int]:
        """The changelog partition of each task, including removed tasks, read-only."""
        return _partitions(self._store.messages(SetChangelogMapping.message_type))

    def write_change_log_partition_mapping(self, mapping: Mapping[str, int | None]) -> None:
        """Write the partitions of these tasks; None deletes a mapping. Other tasks are unchanged.

        Raises `ChangelogRemapped` if a task would get a different partition, and ValueError if a partition is no
        integer from 0 to 2**31 - 1. Nothing was changed then.
        """
        self._update(lambda _known: mapping)

    read_partition_mapping = read_change_log_partition_mapping
    write_partition_mapping = write_change_log_partition_mapping
    """The names of both methods in released Samza."""

    def update_partition_mapping(self, previous: Mapping[str, int], new: Mapping[str, int | None]) -> None:
        """Write both mappings; if both have a task, ``previous`` counts."""
        self.write_change_log_partition_mapping({**new, **previous})

    def assign(self, task_names: Iterable[str]) -> Mapping[str, int]:
        """The partitions of these tasks; new ones get the next unused numbers. On Kafka, in one program at a time."""
        names, numbers = require_task_names(task_names), dict[str, int]()

        def assigned(known: Mapping[str, int]) -> Mapping[str, int]:
            numbers.update(assign_changelog_partitions(names, known))
            return {name: number for name, number in numbers.items() if name not in known}

        self._update(assigned)
        return MappingProxyType(numbers)

    def _update(self, changed: Callable[[Mapping[str, int]], Mapping[str, int | None]]) -> None:
        envelope = make_envelope(self._source, clock=self._clock)

        def change(values: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
            known = _partitions(self._store.decode(values))
            messages = [with_envelope(each, envelope) for each in changelog_messages(known, changed(known))]
            return {NamespacedKey(each.message_type, each.key): encode_message(each)[1] for each in messages}

        self._store.update(change, SetChangelogMapping.message_type, undoes=True)


ChangelogStreamManager = ChangelogPartitionManager
"""The name in released Samza."""


def changelog_messages(known: Mapping[str, int], mapping: Mapping[str, int | None]) -> list[Message]:
    """The messages that write a mapping; ``known`` is the current one. Raises as `ChangelogPartitionManager`."""
    changes = [
        ChangelogRemap(task_name, known[task_name], partition)
        for task_name, partition in sorted(mapping.items())
        if partition is not None and known.get(task_name, partition) != partition
    ]
    if changes:
        raise ChangelogRemapped(changes)
    return [_message(task_name, partition) for task_name, partition in mapping.items()]


def _partitions(messages: Mapping[str, Message]) -> Mapping[str, int]:
    mappings = [each for each in messages.values() if isinstance(each, SetChangelogMapping)]
    return MappingProxyType({each.task_name: each.changelog_partition for each in mappings})


def _message(task_name: str, partition: int | None) -> Message:
    if partition is None:
        return Delete(message_type=SetChangelogMapping.message_type, key=task_name)
    if not is_int_within(_PARTITIONS, partition):
        raise ValueError(
            f"the changelog partition of task {task_name!r} must be an integer from 0 to 2147483647, not {partition!r}"
        )
    return SetChangelogMapping(task_name=task_name, changelog_partition=partition)
