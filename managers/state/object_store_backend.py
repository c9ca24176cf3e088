"""ObjectStoreStateBackendFactory: keeps the state of stores in a folder of any file system of fsspec."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from managers.state.object_store import ObjectStore
from managers.state.object_store_backup import ObjectStoreBackupManager
from managers.state.object_store_restore import ObjectStoreRestoreManager
from managers.state.state_backend import StatefulTask

OBJECT_STORE_STATE_BACKEND_FACTORY: Final = "coordstream.ObjectStoreStateBackendFactory"
"""Its name in ``stores.<store>.backup.factories`` and in checkpoints."""


class ObjectStoreStateBackendFactory:
    """A `StateBackendFactory` with incremental snapshots, in which equal files are stored once per store.

    Only stores on disk can be backed up. Two tasks with the same name in one job must not commit at the same time.
    """

    def __init__(self, url: str | Path, **options: Any) -> None:
        """``url`` is a local folder, or that of a file system of fsspec (``s3://bucket/folder``).

        ``options`` are those of the file system, for example ``endpoint_url`` of s3fs.
        """
        self._objects: Final = ObjectStore(str(url), options)

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreBackupManager:
        """See `StateBackendFactory`. Raises `MissingSetting` if config has no ``job.name``."""
        return ObjectStoreBackupManager(self._objects, task, store_names)

    def get_restore_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreRestoreManager:
        """See `StateBackendFactory`."""
        return ObjectStoreRestoreManager(self._objects, OBJECT_STORE_STATE_BACKEND_FACTORY, task, store_names)
