"""The backup manager of changelogs: a store is backed up when its changelog has all its changes."""

from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Final

from eventlog.changelog import Changelogs
from eventlog.checkpoint import Checkpoint, CheckpointId
from eventlog.errors import EventLogError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KafkaStateCheckpointMarker
from managers.state.offset_files import delete_offset_files, write_offset_files
from managers.state.state_backend import Markers, StatefulTask
from managers.state.state_errors import ChangelogShortened, ChangelogUnusable, OffsetsNotWritten
from managers.state.store_directories import checkpoint_directory


class KafkaChangelogBackupManager:
    """See `TaskBackupManager` (KafkaTransactionalStateTaskBackupManager of Samza).

    A marker is the newest offset of a store's changelog. Unlike Samza's manager for state that is not transactional,
    this one never takes an unknown offset for an empty changelog.
    """

    def __init__(
        self,
        task: StatefulTask,
        partitions: Mapping[str, SystemStreamPartition],
        systems: Mapping[str, Changelogs],
    ) -> None:
        """``partitions`` are the changelogs by store, ``systems`` those of each system, which the caller closes."""
        self._task: Final = task
        self._partitions: Final = dict(partitions)
        self._systems: Final = systems
        self._newest: dict[str, int] = {}

    def init(self, checkpoint: Checkpoint | None) -> None:
        """See `TaskBackupManager.init`."""

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.snapshot`.

        Raises:
            ChangelogUnusable: the newest offset of a changelog is unknown, or before that of the last snapshot, or a
                change was not written.
        """
        return {store: self._marker(store, partition).serialise() for store, partition in self._partitions.items()}

    def upload(self, checkpoint_id: CheckpointId, markers: Markers, cancelled: Event) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.upload`: the changelogs have everything already."""
        return markers

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """See `TaskBackupManager.persist_to_filesystem`: writes offset files for stores on disk.

        Raises:
            OffsetsNotWritten: a file cannot be written.
        """
        for store, marker in markers.items():
            directory = self._task.store_directory(store)
            try:
                _write_offsets(directory, checkpoint_id, KafkaStateCheckpointMarker.parse(marker))
            except OSError as error:
                raise OffsetsNotWritten(self._task.task_name, store, checkpoint_id, error) from error

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """See `TaskBackupManager.clean_up`: compaction deletes what is not needed."""

    def close(self) -> None:
        """See `TaskBackupManager.close`."""

    def _marker(self, store: str, partition: SystemStreamPartition) -> KafkaStateCheckpointMarker:
        changelogs = self._systems[partition.system]
        try:
            changelogs.flush()
            newest = changelogs.reach(partition).newest_offset
        except EventLogError as error:
            raise ChangelogUnusable(self._task.task_name, store, partition, error) from error
        self._require_progress(store, partition, newest)
        return KafkaStateCheckpointMarker(partition, newest)

    def _require_progress(self, store: str, partition: SystemStreamPartition, newest: str | None) -> None:
        """A changelog that was deleted and created again has only the latest changes of the store."""
        offset, earlier = -1 if newest is None else int(newest), self._newest.get(store, -1)
        if offset < earlier:
            raise ChangelogUnusable(self._task.task_name, store, partition, ChangelogShortened(earlier, newest))
        self._newest[store] = offset


def _write_offsets(directory: Path, checkpoint_id: CheckpointId, marker: KafkaStateCheckpointMarker) -> None:
    """A store in memory has no checkpoint directory. What it left on disk in an earlier run keeps its own offset."""
    checkpoint = checkpoint_directory(directory, checkpoint_id)
    for path in (directory, checkpoint) if checkpoint.is_dir() else ():
        if marker.offset is not None:
            write_offset_files(path, {marker.changelog: marker.offset})
        else:
            delete_offset_files(path)
