"""A job's config on its coordinator stream, read and written as Samza's job runner does (CoordinatorStreamUtil)."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import Envelope, Message, SetConfig
from eventlog.wire.coordinator import encode_message
from managers.config.write_once import write_once_changes
from managers.errors import WriteOnceChange
from managers.job_names import Config
from managers.signature import JOB_RUNNER, STREAM_WRITER, make_envelope, mark_forced
from managers.stores.metadata_store import NamespacedStore
from managers.stores.namespaced_key import NamespacedKey

AUTOSIZING: Final = "job.autosizing."
_AUTOSIZING_ENABLED: Final = f"{AUTOSIZING}enabled"
_NAMESPACE: Final = SetConfig.message_type


def config_of(messages: Iterable[Message]) -> Mapping[str, str]:
    """The config that messages set; other messages don't matter."""
    return MappingProxyType({each.config_key: each.config_value for each in messages if isinstance(each, SetConfig)})


def read_config(store: NamespacedStore) -> Mapping[str, str]:
    """The job's config as it is now; an empty text is a value, a value of null is a delete (SAMZA-2176, SAMZA-2318)."""
    return config_of(store.messages(_NAMESPACE).values())


def read_launch_config(config: Config, store: NamespacedStore | None) -> Mapping[str, str]:
    """What a launch takes from the stream beside its own config: sizes that were found, if auto-sizing is enabled.

    Without it the store is not read, and may be None.
    """
    if not is_autosized(config) or store is None:
        return MappingProxyType({})
    return MappingProxyType({key: value for key, value in read_config(store).items() if key.startswith(AUTOSIZING)})


def write_config(
    store: NamespacedStore,
    config: Config,
    *,
    reset_job_config: bool = True,
    source: str = JOB_RUNNER,
    force: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Write a job's config, as a deployment does: first every key is set, then those not defined any more are deleted.

    So at no moment a key is missing that both configs have. Without ``reset_job_config`` nothing is written or deleted:
    the job keeps the config that it has (CoordinatorStreamUtil.writeConfigToCoordinatorStream). Sizes found by
    auto-sizing stay while it is enabled (SAMZA-2452). With ``force`` a change of a write-once setting is written, and
    the source of its message says so.

    Raises:
        WriteOnceChange: it would change a write-once setting of a job that has been started; nothing was written.
    """
    if not reset_job_config:
        return
    gone = [key for key in read_config(store) if key not in config and not _stays(key, config)]
    _write(store, config, gone, make_envelope(source, clock=clock), force)


def set_config(
    store: NamespacedStore,
    key: str,
    value: str,
    *,
    source: str = STREAM_WRITER,
    force: bool = False,
    clock: Clock = system_clock,
) -> None:
    """Set one key. Raises `WriteOnceChange` as `write_config`."""
    _write(store, {key: value}, [], make_envelope(source, clock=clock), force)


def delete_config(
    store: NamespacedStore, key: str, *, source: str = STREAM_WRITER, force: bool = False, clock: Clock = system_clock
) -> None:
    """Delete one key, in every spelling that lives. Raises `WriteOnceChange` as `write_config`."""
    _write(store, {}, [key], make_envelope(source, clock=clock), force)


def config_value(key: str, value: str, envelope: Envelope) -> bytes:
    """The bytes of a config key's value, signed by its writer.

    Raises:
        TypeError: the value is no text.
    """
    if not isinstance(value, str):
        raise TypeError(f"the value of {key} is {type(value).__name__}, not a text")
    written = encode_message(SetConfig(config_key=key, config_value=value, envelope=envelope))[1]
    return written or b""


def is_autosized(config: Config) -> bool:
    """Whether the job's sizes are found by auto-sizing."""
    return config.get(_AUTOSIZING_ENABLED, "").casefold() == "true"


def _write(store: NamespacedStore, sets: Config, gone: Sequence[str], envelope: Envelope, force: bool) -> None:
    old = read_config(store)
    new = {key: value for key, value in {**old, **sets}.items() if key not in gone}
    changes = write_once_changes(old, new)
    if changes and not force:
        raise WriteOnceChange(changes)
    written = {key: config_value(key, value, envelope) for key, value in sets.items()}
    told = envelope._replace(source=mark_forced(envelope.source or ""))
    for key, *_ in changes:  # one that is deleted is set once more, since a delete does not say who wrote it
        written[key] = config_value(key, new.get(key, old.get(key, "")), told)
    store.put_all({NamespacedKey(_NAMESPACE, key): value for key, value in written.items()})
    store.delete_all([NamespacedKey(_NAMESPACE, key) for key in gone])


def _stays(key: str, config: Config) -> bool:
    return key.startswith(AUTOSIZING) and is_autosized(config)
