"""A job's config on its coordinator stream: reads, writes, and write-once settings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from eventlog.config import boolean
from eventlog.log import Clock, system_clock
from eventlog.messages import Envelope, Message, SetConfig
from eventlog.wire.coordinator import encode_message
from managers.errors import SettingChange, WriteOnceChange
from managers.job_facts import configured_changelog, store_of
from managers.job_models.grouping import (
    BY_CONTAINER_COUNT,
    BY_HASH,
    BY_PARTITION,
    ELASTICITY,
    MAPPER_FACTORY,
    TASK_GROUPER,
)
from managers.job_names import GROUPER_FACTORY, JOB_NAME, Config
from managers.stored_messages import JOB_RUNNER, STREAM_WRITER, make_envelope, mark_forced
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey

DEFAULTS: Final = {
    GROUPER_FACTORY: BY_PARTITION,
    TASK_GROUPER: BY_CONTAINER_COUNT,
    MAPPER_FACTORY: BY_HASH,
    ELASTICITY: "1",
}
"""Keys that decide which task reads which partition, with Samza's defaults."""
AUTOSIZING: Final = "job.autosizing."
TRACKING_URL: Final = "yarn.am.tracking.url"
"""The URL of the job's coordinator, which it writes itself. Running containers look for a new one there."""
_NAMESPACE: Final = SetConfig.message_type
Keys = Callable[[Config], Sequence[str]]


def write_once_changes(old: Config, new: Config) -> list[SettingChange]:
    """The write-once settings that a new config would change, sorted by key.

    Setting a missing key to a value other than its default is a change once the config has the job's name. Adding or
    removing a store, and adding a changelog to a store, are not changes.
    """
    return [*_grouping_changes(old, new), *_changelog_changes(old, new)]


def _grouping_changes(old: Config, new: Config) -> Iterator[SettingChange]:
    for key, default in sorted(DEFAULTS.items()):
        before, after = old.get(key, default), new.get(key, default)
        if before != after and (key in old or JOB_NAME in old):
            yield SettingChange(key, before, after)


def _changelog_changes(old: Config, new: Config) -> Iterator[SettingChange]:
    for key in sorted(old):
        store = store_of(key)
        if store is None or not any(name.startswith(f"stores.{store}.") for name in new):
            continue
        before, after = configured_changelog(old, store), configured_changelog(new, store)
        if before is not None and before != after:
            yield SettingChange(key, before, after)


def config_of(messages: Iterable[Message]) -> Mapping[str, str]:
    return MappingProxyType({each.config_key: each.config_value for each in messages if isinstance(each, SetConfig)})


def read_config(store: CoordinatorStreamStore) -> Mapping[str, str]:
    """The job's current config. An empty string is a value; null is a delete (SAMZA-2176, SAMZA-2318)."""
    return config_of(store.messages(_NAMESPACE).values())


def read_launch_config(config: Config, store: CoordinatorStreamStore | None) -> Mapping[str, str]:
    """The settings that a launch adds to its own config: the results of auto-sizing, if it is enabled."""
    if not is_autosized(config) or store is None:
        return MappingProxyType({})
    return MappingProxyType({key: value for key, value in read_config(store).items() if key.startswith(AUTOSIZING)})


def write_config(
    store: CoordinatorStreamStore,
    config: Config,
    *,
    reset_job_config: bool = True,
    keeps_others: bool = False,
    source: str = JOB_RUNNER,
    force: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Write a job's config, as a deployment does: set every key, then delete the keys that are no longer defined.

    Without ``reset_job_config`` nothing is written (CoordinatorStreamUtil.writeConfigToCoordinatorStream). The URL of
    the coordinator stays, and results of auto-sizing while it is enabled (SAMZA-2452); with ``keeps_others``, all keys.
    A change of a write-once setting raises `WriteOnceChange`, or with ``force`` has " (forced)" in its source.
    """
    if not reset_job_config:
        return
    envelope = make_envelope(source, clock=clock)
    _write(store, config, lambda old: [] if keeps_others else stale_keys(old, config), envelope, force)


def stale_keys(old: Config, config: Config) -> list[str]:
    """The keys of the old config that `write_config` deletes, sorted."""
    kept = {TRACKING_URL, *(key for key in old if key.startswith(AUTOSIZING) and is_autosized(config))}
    return sorted(old.keys() - config.keys() - kept)


def set_config(
    store: CoordinatorStreamStore,
    key: str,
    value: str,
    *,
    source: str = STREAM_WRITER,
    force: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Set one key. Raises `WriteOnceChange` as `write_config`."""
    _write(store, {key: value}, lambda _old: [], make_envelope(source, clock=clock), force)


def delete_config(store: CoordinatorStreamStore, key: str, *, source: str = STREAM_WRITER, force: bool = False) -> None:
    """Delete one key, in every live spelling. Raises `WriteOnceChange` as `write_config`."""
    _write(store, {}, lambda _old: [key], make_envelope(source), force)


def config_value(key: str, value: str, envelope: Envelope) -> bytes:
    """The bytes of a set-config message. Raises `TypeError` if the value is not a string."""
    if not isinstance(value, str):
        raise TypeError(f"the value of {key} must be a string, not {type(value).__name__}")
    return encode_message(SetConfig(config_key=key, config_value=value, envelope=envelope))[1] or b""


def is_autosized(config: Config) -> bool:
    return boolean(config, f"{AUTOSIZING}enabled", default=False)


def _write(store: CoordinatorStreamStore, sets: Config, removed_keys: Keys, envelope: Envelope, force: bool) -> None:
    forced_deletes: list[NamespacedKey] = []

    def change(values: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
        old = config_of(store.decode(values).values())
        removed = removed_keys(old)
        new = {key: value for key, value in {**old, **sets}.items() if key not in removed}
        changes = write_once_changes(old, new)
        if changes and not force:
            raise WriteOnceChange(changes)
        written = {key: config_value(key, value, envelope) for key, value in sets.items()} | dict.fromkeys(removed)
        forced_envelope = envelope._replace(source=mark_forced(envelope.source or ""))
        for key, *_ in changes:  # also a key to be deleted: a delete has no source
            written[key] = config_value(key, new.get(key, old.get(key, "")), forced_envelope)
        forced_deletes[:] = [NamespacedKey(_NAMESPACE, key) for key, *_ in changes if key in removed]
        return {NamespacedKey(_NAMESPACE, key): value for key, value in written.items()}

    store.update(change, _NAMESPACE, undoes=True)
    store.delete_all(forced_deletes)
