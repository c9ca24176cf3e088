"""The interfaces of a state backend, which keeps the state of stores outside of the task's host; which a job uses."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final, Literal, NamedTuple, Protocol

from eventlog.checkpoint import (
    DEFAULT_WRITE_VERSIONS,
    READ_VERSIONS,
    Checkpoint,
    CheckpointId,
    CheckpointV1,
    StateMarkers,
    parse_read_versions,
    write_versions,
)
from eventlog.errors import ConfigError, known_names
from eventlog.frozen_dict import FrozenFields
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.job_facts import changelog_of
from managers.state.key_value_store import StoreOpener
from managers.state.store_directories import is_outside

_STORES: Final = "stores."
_FACTORY: Final = ".factory"
_SIDE_INPUTS_FACTORY: Final = ".side.inputs.processor.factory"
_logger: Final = logging.getLogger(__name__)


def store_names(config: Mapping[str, str]) -> tuple[str, ...]:
    """The job's stores, sorted: those with ``stores.<store>.factory``, or with a processor of side inputs."""
    keys = [key.removeprefix(_STORES) for key in config if key.startswith(_STORES) and key.endswith(_FACTORY)]
    return tuple(sorted({key.removesuffix(_SIDE_INPUTS_FACTORY).removesuffix(_FACTORY) for key in keys}))


def backup_factories(config: Mapping[str, str], store_name: str) -> tuple[str, ...]:
    """``stores.<store>.backup.factories``, else ``stores.backup.factories``, else the changelog if there is one."""
    return _factories(config, store_name, "backup.factories")


def restore_factories(config: Mapping[str, str], store_name: str) -> tuple[str, ...]:
    """The factories that may restore a store, the preferred one first; configured like `backup_factories`."""
    return _factories(config, store_name, "restore.factories")


def is_durable(config: Mapping[str, str], store_name: str) -> bool:
    return changelog_of(config, store_name) is not None or bool(backup_factories(config, store_name))


def stores_by_backup_factory(config: Mapping[str, str], stores: Iterable[str]) -> dict[str, tuple[str, ...]]:
    return _invert({store: backup_factories(config, store) for store in stores})


def backend_factory_store_names(
    config: Mapping[str, str], stores: Collection[str], checkpoint: Checkpoint | None
) -> dict[str, tuple[str, ...]]:
    """The stores that each factory restores, from this checkpoint of the task (None: it has none).

    A checkpoint of version 1 only has offsets of changelogs. From version 2, a store is restored by the first of its
    `restore_factories` of which the checkpoint has a marker, else by the first one.
    """
    if isinstance(checkpoint, CheckpointV1):
        chosen = {store: KAFKA_STATE_BACKEND_FACTORY for store in stores if changelog_of(config, store) is not None}
    else:
        markers = {} if checkpoint is None else checkpoint.state_markers
        configured = {store: restore_factories(config, store) for store in stores}
        chosen = {store: _first_with_marker(store, named, markers) for store, named in configured.items() if named}
    for store in sorted(set(stores) - chosen.keys()):
        _logger.info("Store %r is not restored: no restore factory for it, or no changelog in its checkpoint.", store)
    return _invert({store: (factory,) for store, factory in chosen.items()})


def require_backends(
    task_name: str, chosen: Mapping[str, Iterable[str]], known: Mapping[str, "StateBackendFactory"]
) -> dict[str, "StateBackendFactory"]:
    """The backends of the chosen factories, by factory. Raises `ConfigError`."""
    for factory, stores in chosen.items():
        for store in stores:
            if factory not in known:
                raise ConfigError(
                    f"Store {store!r} of task {task_name!r} has the unknown state backend factory {factory!r}."
                    f"{known_names('factories', factory, known)}"
                )
    return {factory: known[factory] for factory in chosen}


def require_read_markers(config: Mapping[str, str], task_name: str, stores: Iterable[str]) -> None:
    """Check that a restart reads the markers of the stores that the Kafka changelog does not back up.

    Raises `ConfigError` if the job writes no checkpoints of version 2, or reads version 1 first.
    """
    written = write_versions(config) or DEFAULT_WRITE_VERSIONS
    if 2 in written and parse_read_versions(config.get(READ_VERSIONS))[0] == 2:
        return
    for store in stores:
        factories = backup_factories(config, store)
        if factories and KAFKA_STATE_BACKEND_FACTORY not in factories:
            raise ConfigError(
                f"Store {store!r} of task {task_name!r} is backed up by {factories[0]}, whose markers only checkpoints "
                "of version 2 have. Set task.checkpoint.write.versions=1,2 and task.checkpoint.read.versions=2,1."
            )


def _factories(config: Mapping[str, str], store_name: str, which: str) -> tuple[str, ...]:
    own = config.get(f"{_STORES}{store_name}.{which}")
    if own is not None:
        return _names(own)
    of_job = _names(config.get(f"{_STORES}{which}", ""))
    if of_job or changelog_of(config, store_name) is None:
        return of_job
    return (KAFKA_STATE_BACKEND_FACTORY,)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _first_with_marker(store: str, factories: tuple[str, ...], markers: StateMarkers) -> str:
    return next((factory for factory in factories if store in markers.get(factory, {})), factories[0])


def _invert(factories: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    stores: dict[str, list[str]] = {}
    for store in sorted(factories):
        for factory in factories[store]:
            stores.setdefault(factory, []).append(store)
    return {factory: tuple(of) for factory, of in stores.items()}


LOGGED_BASE_DIRECTORY: Final = "job.logged.store.base.dir"
NON_LOGGED_BASE_DIRECTORY: Final = "job.non-logged.store.base.dir"
Markers = Mapping[str, str]
"""State checkpoint markers of one backend by store name."""


@dataclass(frozen=True)
class StatefulTask(FrozenFields):
    """A task whose stores are backed up or restored.

    ``base_directory`` contains the directories of its stores, unless config has ``job.logged.store.base.dir`` for those
    with a backup, and ``job.non-logged.store.base.dir`` for the others.
    ``changelog_partition`` is that of the task in the changelogs of all its stores.
    """

    task_name: str
    config: Mapping[str, str]
    base_directory: Path
    open_store: StoreOpener
    changelog_partition: int | None = None

    def store_directory(self, store_name: str) -> Path:
        """The directory of a store: ``<base>/<store>/<task>``, with ``_`` for each space. Raises `ConfigError`."""
        key = LOGGED_BASE_DIRECTORY if is_durable(self.config, store_name) else NON_LOGGED_BASE_DIRECTORY
        configured = self.config.get(key, "").strip()
        base = Path(configured) if configured else self.base_directory
        if is_outside(store_name) or is_outside(self.task_name):
            raise ConfigError(
                f"Store {store_name!r} of task {self.task_name!r} has no directory below {base}: neither name may be "
                "empty, begin with '/' or contain '..'. Rename it."
            )
        return base / store_name.replace(" ", "_") / self.task_name.replace(" ", "_")


class TaskBackupManager(Protocol):
    """Backs up some stores of a task with one backend (Samza's interface). What it does not need may be inherited.

    The commit manager calls ``init`` once, then for each commit ``snapshot``, ``upload``, ``persist_to_filesystem``
    and ``clean_up``, in this order, and ``close`` at the end. A step that raises ends the commit; the next commit
    begins with ``snapshot`` again. Only one commit is in progress at a time, except that a cancelled ``upload`` may
    still be returning.
    """

    def init(self, checkpoint: Checkpoint | None) -> None:  # noqa: ARG002
        """Start after this checkpoint of the task, None if it has none. It may have markers of other stores."""
        return

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:  # noqa: ARG002
        """Capture the state to upload, and return markers for `upload`. Blocks the task; the stores are flushed."""
        return {}

    def upload(self, checkpoint_id: CheckpointId, markers: Markers, cancelled: Event) -> Markers:  # noqa: ARG002
        """Back up the snapshot in another thread than the task's, and return the markers for the checkpoint.

        ``cancelled`` is set when the commit was given up: return or raise soon, since the result is ignored.
        """
        return markers

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:  # noqa: ARG002
        """Write the backend's own files into store and checkpoint directories. The checkpoint is on the log."""
        return

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:  # noqa: ARG002
        """Delete from the backend what no checkpoint needs after this one. May be called again for the same commit."""
        return

    def close(self) -> None:
        """Close connections. May be called without `init`."""
        return


class RestoreProgress(NamedTuple):
    """How much of a store is restored."""

    task_name: str
    store_name: str
    restored: int
    total: int
    unit: Literal["bytes", "records"]


ReportProgress = Callable[[RestoreProgress], None]


class TaskRestoreManager(Protocol):
    """Restores a store of a task with one backend (Samza's interface), before the task opens it."""

    def init(self, checkpoint: Checkpoint | None) -> None:
        """Prepare to restore as of this checkpoint of the task, None if it has none."""

    def restore(self, report: ReportProgress) -> None:
        """Restore the store, completely or not at all."""

    def match(self) -> None:
        """Make the backend equal to the store, which another backend restored to the checkpoint.

        For backends whose next marker also covers what was written since that checkpoint, such as a changelog.
        """
        return

    def close(self) -> None:
        """Close connections. May be called without `init`."""
        return


class StateBackendFactory(Protocol):
    """Creates the managers of one state backend (Samza's interface)."""

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> TaskBackupManager:
        """The manager that backs up these stores of a task."""

    def get_restore_manager(self, task: StatefulTask, store_name: str) -> TaskRestoreManager:
        """The manager that restores this store of a task."""
