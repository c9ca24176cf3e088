"""The checkpoints of a manager's tasks: read at the start, written at each commit in the versions that config names."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.checkpoint_choice import WRITE_VERSIONS, write_versions
from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_versions import convert_to_versions


class CommittedOffsets:
    """Checkpoints by task, over a checkpoint manager, or none."""

    def __init__(
        self, config: Mapping[str, str], manager: AbstractCheckpointManager | None, new_id: Callable[[], CheckpointId]
    ) -> None:
        """``new_id`` returns the id of a new V2 checkpoint. ``manager`` None: nothing is read or written.

        Raises:
            ConfigError: a version in ``task.checkpoint.write.versions`` is unknown or not supported by the manager.
        """
        self._config: Final = config
        self._versions: Final = write_versions(config)
        if self._versions is not None and isinstance(manager, CheckpointManager):
            raise ConfigError(
                f"{WRITE_VERSIONS} is set, but only a checkpoint topic has versions. Pass a KafkaCheckpointManager."
            )
        self._manager: Final = manager
        self._new_id: Final = new_id

    def load(
        self, registered: Mapping[str, Collection[SystemStreamPartition]]
    ) -> dict[str, dict[SystemStreamPartition, str]]:
        """Start the manager, and read each task's offsets, only of partitions that it reads now (SAMZA-267)."""
        if self._manager is not None:
            for task_name in registered:
                self._manager.register(task_name)
            self._manager.start()
        return {
            task_name: _offsets_of(self.last_checkpoint(task_name), partitions)
            for task_name, partitions in registered.items()
        }

    def last_checkpoint(self, task_name: str) -> Checkpoint | None:
        """The task's checkpoint; None if it has none, or there is no manager."""
        return None if self._manager is None else self._manager.read_last_checkpoint(task_name)

    def build(self, offsets: Mapping[SystemStreamPartition, str]) -> Checkpoint:
        """A checkpoint without state markers, in the first of the versions to write (default: 1)."""
        is_second = self._versions is not None and self._versions[0] == 2
        return CheckpointV2(self._new_id(), offsets, {}) if is_second else CheckpointV1(offsets)

    def in_versions(self, checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
        """The checkpoints that a commit writes: in exactly the versions of config, and none without content.

        Raises:
            ValueError: a version is missing, and the first checkpoint contains state of stores.
        """
        if self._versions is not None:
            checkpoints = convert_to_versions(checkpoints, self._versions, self._config, self._new_id)
        return [each for each in checkpoints if _has_content(each)]

    def write(self, task_name: str, checkpoints: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
        """Write a task's checkpoints, and yield each that the manager has written."""
        if self._manager is None:
            return
        for each in checkpoints:
            self._manager.write_checkpoint(task_name, each)
            yield each

    def stop(self) -> None:
        """Stop the manager."""
        if self._manager is not None:
            self._manager.stop()


def _has_content(checkpoint: Checkpoint) -> bool:
    return bool(checkpoint.offsets) or (isinstance(checkpoint, CheckpointV2) and bool(checkpoint.state_markers))


def _offsets_of(
    checkpoint: Checkpoint | None, partitions: Collection[SystemStreamPartition]
) -> dict[SystemStreamPartition, str]:
    offsets = {} if checkpoint is None else checkpoint.offsets
    return {each: offset for each, offset in offsets.items() if offset is not None and each in partitions}
