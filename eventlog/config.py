"""What a job's config says of its inputs: their streams, and where they start without a checkpoint."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.system_admin import offset_after

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")


def boolean(config: Mapping[str, str], key: str, default: bool) -> bool:
    """Whether the value is ``true``, in any case; any other value is false. White space is part of the value."""
    return config[key].casefold() == "true" if key in config else default


def require_strings(config: Mapping[str, str]) -> None:
    """Raise ConfigError for a value that is not a string. A program may give any."""
    for key, value in config.items():
        if not isinstance(value, str):
            raise ConfigError(f"Invalid value of {key} in config: expected a string, not {type(value).__name__}.")


def integer(config: Mapping[str, str], key: str, default: int, *, minimum: int | None = None) -> int:
    """The value of a key as an integer. Raises `ConfigError` if it is not one, or less than ``minimum``."""
    text = config.get(key)
    if text is None:
        return default
    is_valid = _INTEGER.fullmatch(text) is not None and (minimum is None or int(text) >= minimum)
    if not is_valid:
        raise ConfigError(f"{key} is {text!r}. Expected an integer{'' if minimum is None else f', {minimum} or more'}.")
    return int(text)


TASK_INPUTS: Final = "task.inputs"
BROADCAST_INPUTS: Final = "task.broadcast.inputs"
DEFAULT_SYSTEM: Final = "job.default.system"

_BROADCAST_PARTITIONS: Final = re.compile(r"#(?:([0-9]+)|\[([0-9]+)-([0-9]+)\])$")

Config = Mapping[str, str]


def inputs(config: Config) -> set[tuple[str, str]] | None:
    """System and stream of each input, including broadcast inputs; None if config has neither key for inputs.

    A name without a dot is a stream id, which config maps to a system and a physical stream. Stream ids without a
    system are left out.
    """
    if TASK_INPUTS not in config and BROADCAST_INPUTS not in config:
        return None
    named = (*_names(config.get(TASK_INPUTS, "")), *_names(config.get(BROADCAST_INPUTS, "")))
    return {found for name in named if (found := _system_stream(config, name)) is not None}


def task_inputs(config: Config) -> set[tuple[str, str]]:
    """System and stream of each input whose partitions tasks share (``task.inputs``). Raises `ConfigError`."""
    return {_require_stream(config, TASK_INPUTS, name) for name in _split(config.get(TASK_INPUTS, ""))}


def broadcast_partitions(config: Config) -> frozenset[SystemStreamPartition]:
    """The partitions that every task reads: ``kafka.rules#0`` or ``kafka.rules#[0-3]``. Raises `ConfigError`."""
    listed = _split(config.get(BROADCAST_INPUTS, ""))
    return frozenset(partition for name in listed for partition in _broadcast(config, name))


def stream_ids(config: Config) -> dict[tuple[str, str], list[str]]:
    """The ids with settings under ``streams.<id>.`` by system and stream; ids without a system are left out."""
    prefix = "streams."
    ids = {key.removeprefix(prefix).partition(".")[0] for key in config if key.startswith(prefix)}
    found: dict[tuple[str, str], list[str]] = {}
    for stream_id in sorted(ids):
        stream = _stream_of_id(config, stream_id)
        if stream is not None:
            found.setdefault(stream, []).append(stream_id)
    return found


def _broadcast(config: Config, name: str) -> Iterator[SystemStreamPartition]:
    found = _BROADCAST_PARTITIONS.search(name)
    if found is None:
        raise ConfigError(f"Invalid entry {name!r} in {BROADCAST_INPUTS}. Expected system.stream#0 or #[0-3].")
    system, stream = _require_stream(config, BROADCAST_INPUTS, name[: found.start()])
    first, last = found[1] or found[2], found[1] or found[3]
    return (SystemStreamPartition(system, stream, number) for number in range(int(first), int(last) + 1))


def _require_stream(config: Config, key: str, name: str) -> tuple[str, str]:
    found = _system_stream(config, name)
    if found is None:
        raise ConfigError(
            f"The stream id {name!r} in {key} has no system. Set streams.{name}.samza.system or {DEFAULT_SYSTEM}."
        )
    return found


def _names(listed: str) -> Iterator[str]:
    return (_BROADCAST_PARTITIONS.sub("", name) for name in _split(listed))


def _split(names: str) -> Iterator[str]:
    return (name.strip() for name in names.split(",") if name.strip())


def _system_stream(config: Config, name: str) -> tuple[str, str] | None:
    system, dot, stream = name.partition(".")
    return (system, stream) if dot else _stream_of_id(config, name)


def _stream_of_id(config: Config, stream_id: str) -> tuple[str, str] | None:
    system = config.get(f"streams.{stream_id}.samza.system", config.get(DEFAULT_SYSTEM))
    return None if system is None else (system, config.get(f"streams.{stream_id}.samza.physical.name", stream_id))


DefaultOffset = Literal["oldest", "upcoming"]

COMMIT_MS: Final = "task.commit.ms"
DEFAULT_COMMIT_MS: Final = 60_000
ALIVE_COMMITS: Final = 3
"""A task that has not committed for this many intervals is taken to be stopped."""
KAFKA_SYSTEM_FACTORY: Final = "org.apache.samza.system.kafka.KafkaSystemFactory"

_OFFSET_DEFAULT: Final = "samza.offset.default"
_OFFSET_RESET: Final = "samza.reset.offset"


class OffsetSettings:
    """The settings of a job's streams.

    A setting belongs to a stream id (``streams.<id>.…``), to a stream (``systems.<system>.streams.<stream>.…``) or to
    all streams of a system (``systems.<system>.default.stream.…``). The first of them that is set counts.
    """

    def __init__(self, config: Config) -> None:
        self._config: Final = config
        self._ids: Final = stream_ids(config)

    def default_offset(self, system: str, stream: str) -> DefaultOffset:
        """Where to start without a checkpoint; after the others counts ``systems.<system>.samza.offset.default``.

        ``upcoming`` by default. Raises `ConfigError` for a value that is neither ``oldest`` nor ``upcoming``.
        """
        for name in (*self._keys(system, stream, _OFFSET_DEFAULT), f"systems.{system}.{_OFFSET_DEFAULT}"):
            value = self._config.get(name)
            if value is not None:
                return _default_offset(name, value)
        return "upcoming"

    def is_reset(self, system: str, stream: str) -> bool:
        """Whether checkpoints of a stream are to be ignored. Raises `ConfigError` if the stream has several ids."""
        names = self._keys(system, stream, _OFFSET_RESET)
        return next((boolean(self._config, name, default=False) for name in names if name in self._config), False)

    def next_offset(self, system: str, offset: str) -> str | None:
        """The offset after a processed one: one more for Samza's Kafka system; None if only the system knows it."""
        return offset_after(offset) if is_kafka_system(self._config, system) else None

    def _keys(self, system: str, stream: str, name: str) -> Iterator[str]:
        ids = self._ids.get((system, stream), ())
        if len(ids) > 1:
            raise ConfigError(f"{system}.{stream} has the ids {', '.join(ids)}. Remove streams.<id>.* of all but one.")
        yield from (f"streams.{each}.{name}" for each in ids)
        yield f"systems.{system}.streams.{stream}.{name}"
        yield f"systems.{system}.default.stream.{name}"


def is_kafka_system(config: Config, system: str) -> bool:
    return config.get(f"systems.{system}.samza.factory") == KAFKA_SYSTEM_FACTORY


def refuse_unknown_defaults(config: Config) -> None:
    """Raise `ConfigError` if the default offset of an input has an unknown value.

    If config does not name the inputs, every default offset in it is checked.
    """
    known = inputs(config)
    if known is not None:
        settings = OffsetSettings(config)
        for system, stream in sorted(known):
            settings.default_offset(system, stream)
        return
    for name, value in sorted(config.items()):
        if name.startswith(("systems.", "streams.")) and name.endswith(f".{_OFFSET_DEFAULT}"):
            _default_offset(name, value)


def _default_offset(name: str, value: str) -> DefaultOffset:
    match value.strip().lower():
        case "oldest":
            return "oldest"
        case "upcoming":
            return "upcoming"
    raise ConfigError(f"{name} is {value!r}. Expected oldest or upcoming.")


def commit_ms(text: str | None) -> int:
    """The commit interval in ms; a minute if the key is missing, invalid, or says that only tasks commit (-1)."""
    try:
        interval = int(text or "")
    except ValueError:
        return DEFAULT_COMMIT_MS
    return interval if interval > 0 else DEFAULT_COMMIT_MS
