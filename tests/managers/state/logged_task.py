"""A task with stores that have changelogs, for tests: its commits and restores without a commit manager."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaChangelogOffset, KafkaStateCheckpointMarker
from managers.state.changelog_backend import KafkaChangelogStateBackendFactory
from managers.state.key_value_store import DictStore, KeyValueStore, LoggedStore
from managers.state.state_backend import Markers, RestoreProgress, StatefulTask
from managers.state.state_markers import StateCheckpointMarkerSerde

TASK: Final = "Partition 0"
TRANSACTIONAL: Final = {"task.transactional.state.retain.existing.state": "false"}
NOT_TRANSACTIONAL: Final = {"task.transactional.state.restore.enabled": "false"}

Entries = dict[bytes, bytes]


class LoggedTask:
    """A task whose stores are in files, or in memory, and whose changelogs have the names of the stores."""

    def __init__(
        self,
        changelogs: KafkaChangelogs,
        base: Path,
        job_name: str,
        store_names: Sequence[str] = ("orders",),
        *,
        config: Mapping[str, str] = TRANSACTIONAL,
        in_memory: bool = False,
        open_directory: Callable[[Path], KeyValueStore] = DictStore,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.changelogs: Final = changelogs
        self.job_name: Final = job_name
        self.store_names: Final = store_names
        self._open_directory: Final = open_directory
        self._in_memory: Final = {store: DictStore() for store in store_names} if in_memory else {}
        streams = {f"stores.{store}.changelog": f"kafka.{job_name}-{store}" for store in store_names}
        self.task: Final = StatefulTask(TASK, {**streams, **config}, base, self._open, changelog_partition=1)
        self.factory: Final = KafkaChangelogStateBackendFactory({"kafka": changelogs}, clock)
        self.backup: Final = self.factory.get_backup_manager(self.task, store_names)
        self._clock: Final = clock
        self.stores: dict[str, LoggedStore] = {}

    def partition(self, store: str = "orders") -> SystemStreamPartition:
        stream = self.task.config[f"stores.{store}.changelog"].removeprefix("kafka.")
        return SystemStreamPartition("kafka", stream, 1)

    def directory(self, store: str = "orders") -> Path:
        return self.task.store_directory(store)

    def open(self) -> None:
        self.stores = {store: self.factory.open_store(self.task, store) for store in self.store_names}

    def write(self, changes: Mapping[bytes, bytes | None], store: str = "orders") -> None:
        for key, value in changes.items():
            if value is None:
                self.stores[store].delete(key)
            else:
                self.stores[store].put(key, value)
        self.stores[store].flush()

    def commit(self, *, persist: bool = True, checkpoint_id: CheckpointId | None = None) -> CheckpointV2:
        """Commit: without ``persist`` the process dies before it has written the offset files."""
        checkpoint_id = checkpoint_id or CheckpointId.create(int(self._clock().timestamp() * 1000), 1)
        for store in self.stores.values():
            store.flush()
            store.checkpoint(checkpoint_id)
        markers = self.backup.upload(checkpoint_id, self.backup.snapshot(checkpoint_id), Event())
        if persist:
            self.backup.persist_to_filesystem(checkpoint_id, markers)
        return CheckpointV2(checkpoint_id, {}, {KAFKA_STATE_BACKEND_FACTORY: markers})

    def restore(self, checkpoint: Checkpoint | None) -> list[RestoreProgress]:
        for store in self.stores.values():
            store.close()
        progress: list[RestoreProgress] = []
        manager = self.factory.get_restore_manager(self.task, self.store_names)
        manager.init(checkpoint)
        manager.restore(progress.append, Event())
        manager.close()
        self.open()
        return progress

    def entries(self, store: str = "orders") -> Entries:
        return dict(self.stores[store].range())

    def _open(self, store: str) -> KeyValueStore:
        return self._in_memory.get(store) or self._open_directory(self.directory(store))


def as_version_1(checkpoint: CheckpointV2) -> CheckpointV1:
    assert checkpoint.checkpoint_id is not None
    markers = map(KafkaStateCheckpointMarker.parse, _markers(checkpoint).values())
    return CheckpointV1(
        {each.changelog: str(KafkaChangelogOffset(checkpoint.checkpoint_id, each.offset)) for each in markers}
    )


def with_classes(checkpoint: CheckpointV2) -> CheckpointV2:
    """The same, with the class of each marker before its payload."""
    serde, factory = StateCheckpointMarkerSerde(), KAFKA_STATE_BACKEND_FACTORY
    markers = {
        store: serde.serialise(factory, KafkaStateCheckpointMarker.parse(marker))
        for store, marker in _markers(checkpoint).items()
    }
    return replace(checkpoint, state_markers={factory: markers})


def _markers(checkpoint: CheckpointV2) -> Markers:
    return checkpoint.state_markers[KAFKA_STATE_BACKEND_FACTORY]
