"""Fails at the steps of a commit or a restore: with an error, or by being killed."""

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Final, Literal

from eventlog.checkpoint import Checkpoint, CheckpointId
from eventlog.partition import SystemStreamPartition
from eventlog.system_admin import Change, Changelogs, SystemStreamPartitionMetadata
from managers.offsets.offset_manager import OffsetManager
from managers.state.key_value_store import KeyValueStore
from managers.state.state_backend import Markers, TaskBackupManager
from managers.state.task_storage_commit_manager import TaskStorageCommitManager

Kind = Literal["error", "kill"]
KINDS: Final[tuple[Kind, ...]] = ("error", "kill")
STEPS: Final = (
    *("flush", "files of the snapshot", "snapshot to changelogs", "snapshot to objects"),
    *("upload to changelogs", "upload to objects", "after the uploads"),
    *("checkpoint", "after the checkpoint", "persist", "persist of changelogs", "persist of objects"),
    *("clean up of changelogs", "clean up of objects", "after the clean-up", "restore"),
)


class InjectedError(OSError):
    """The error of a step that fails."""


@dataclass
class Faults:
    """The next fault of this process. ``journal`` is a file of JSON lines."""

    journal: Path
    armed: tuple[str, Kind] | None = None

    def note(self, **entry: Any) -> None:
        """Append to the journal, which survives the process."""
        with self.journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def at(self, step: str) -> None:
        """Fail, if the fault is armed for this step."""
        if self.armed is None or self.armed[0] != step:
            return
        (_, kind), self.armed = self.armed, None
        self.note(fault=step, kind=kind)
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise InjectedError(f"injected at {step}")


class FailingStore:
    """A store that may fail when it is flushed, or when its files are kept."""

    def __init__(self, store: KeyValueStore, faults: Faults) -> None:
        self._store = store
        self._faults = faults
        self.get, self.put, self.delete, self.range = store.get, store.put, store.delete, store.range
        self.close = store.close

    @property
    def directory(self) -> Path | None:
        return self._store.directory

    def flush(self) -> None:
        self._faults.at("flush")
        self._store.flush()

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        directory = self._store.checkpoint(checkpoint_id)
        self._faults.at("files of the snapshot")
        return directory


class FailingBackup:
    """A backup manager of ``name`` that may fail in each step."""

    def __init__(self, name: str, manager: TaskBackupManager, faults: Faults) -> None:
        self._name = name
        self._manager = manager
        self._faults = faults
        self.init, self.close = manager.init, manager.close

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:
        self._faults.at(f"snapshot to {self._name}")
        return self._manager.snapshot(checkpoint_id)

    def upload(self, checkpoint_id: CheckpointId, markers: Markers, cancelled: Event) -> Markers:
        self._faults.at(f"upload to {self._name}")
        uploaded = self._manager.upload(checkpoint_id, markers, cancelled)
        if self._name == "objects":
            self._faults.at("after the uploads")
        return uploaded

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        self._faults.at(f"persist of {self._name}")
        self._manager.persist_to_filesystem(checkpoint_id, markers)

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        self._faults.at(f"clean up of {self._name}")
        self._manager.clean_up(checkpoint_id, markers)


class FailingCommits(TaskStorageCommitManager):
    """A commit manager that may fail before it writes files, and after it has cleaned up."""

    faults: Faults

    def write_checkpoint_to_store_directories(self, checkpoint: Checkpoint) -> None:
        self.faults.at("persist")
        super().write_checkpoint_to_store_directories(checkpoint)

    def clean_up(self, checkpoint_id: CheckpointId, markers: Mapping[str, Mapping[str, str]]) -> None:
        super().clean_up(checkpoint_id, markers)
        self.faults.at("after the clean-up")


class FailingOffsets(OffsetManager):
    """An offset manager that may fail before or after it writes a checkpoint, or between its versions."""

    faults: Faults

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint, *other_versions: Checkpoint) -> None:
        self.faults.at("checkpoint")
        super().write_checkpoint(task_name, checkpoint, *other_versions)
        self.faults.at("after the checkpoint")


class FailingChangelogs:
    """Changelogs that may fail while stores are restored, after ``skipped`` calls."""

    def __init__(self, changelogs: Changelogs, faults: Faults, skipped: int) -> None:
        self._changelogs = changelogs
        self._faults = faults
        self._skipped = skipped
        self.send, self.flush, self.close = changelogs.send, changelogs.flush, changelogs.close
        self.discard = changelogs.discard

    def reach(self, partition: SystemStreamPartition) -> SystemStreamPartitionMetadata:
        self._count()
        return self._changelogs.reach(partition)

    def read(self, partition: SystemStreamPartition, first: int, until: int) -> Iterator[Sequence[Change]]:
        for changes in self._changelogs.read(partition, first, until):
            yield changes
            self._count()

    def _count(self) -> None:
        self._skipped -= 1
        if self._skipped < 0:
            self._faults.at("restore")
