"""Which state backends back up and restore each store (StorageConfig and ContainerStorageManagerUtil of Samza)."""

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeVar

from eventlog.checkpoint import (
    DEFAULT_WRITE_VERSIONS,
    READ_VERSIONS,
    Checkpoint,
    CheckpointV1,
    StateMarkers,
    parse_read_versions,
    write_versions,
)
from eventlog.errors import ConfigError, known_names
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.changelogs import changelog_of

Backend = TypeVar("Backend")

_STORES: Final = "stores."
_FACTORY: Final = ".factory"
_SIDE_INPUTS: Final = ".side.inputs"
_SIDE_INPUTS_FACTORY: Final = ".side.inputs.processor.factory"
_BACKUP: Final = "backup.factories"
_RESTORE: Final = "restore.factories"
_logger: Final = logging.getLogger(__name__)


def store_names(config: Mapping[str, str]) -> tuple[str, ...]:
    """The job's stores, sorted: those with ``stores.<store>.factory``, or with a processor of side inputs."""
    keys = [key.removeprefix(_STORES) for key in config if key.startswith(_STORES) and key.endswith(_FACTORY)]
    return tuple(sorted({key.removesuffix(_SIDE_INPUTS_FACTORY).removesuffix(_FACTORY) for key in keys}))


def backup_factories(config: Mapping[str, str], store_name: str) -> tuple[str, ...]:
    """``stores.<store>.backup.factories``, else ``stores.backup.factories``, else the changelog if there is one."""
    return _factories(config, store_name, _BACKUP)


def restore_factories(config: Mapping[str, str], store_name: str) -> tuple[str, ...]:
    """The factories that may restore a store, the preferred one first; configured like `backup_factories`."""
    return _factories(config, store_name, _RESTORE)


def is_durable(config: Mapping[str, str], store_name: str) -> bool:
    return changelog_of(config, store_name) is not None or bool(backup_factories(config, store_name))


def has_side_inputs(config: Mapping[str, str], store_name: str) -> bool:
    """Whether a store is filled from side inputs, which its local files continue from."""
    return any(f"{_STORES}{store_name}{suffix}" in config for suffix in (_SIDE_INPUTS, _SIDE_INPUTS_FACTORY))


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
    config: Mapping[str, str], task_name: str, chosen: Mapping[str, Iterable[str]], known: Mapping[str, Backend]
) -> dict[str, Backend]:
    """The backends of the chosen factories, by factory. Raises `ConfigError`."""
    for factory, stores in chosen.items():
        for store in stores:
            if factory not in known:
                raise ConfigError(
                    f"Store {store!r} of task {task_name!r} has the unknown state backend factory {factory!r}."
                    f"{known_names('factories', factory, known)}"
                )
            if factory == KAFKA_STATE_BACKEND_FACTORY and changelog_of(config, store) is None:
                raise without_changelog(task_name, store)
    return {factory: known[factory] for factory in chosen}


def without_changelog(task_name: str, store: str) -> ConfigError:
    return ConfigError(
        f"Store {store!r} of task {task_name!r} has the Kafka changelog as its state backend, but no changelog. "
        f"Set stores.{store}.changelog, or another factory."
    )


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
