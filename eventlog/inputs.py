"""The streams a job reads, as its config names them."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition

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
    """System and stream of each input whose partitions are distributed over the tasks (``task.inputs``).

    Raises:
        ConfigError: a stream id has no system.
    """
    return {_require_stream(config, TASK_INPUTS, name) for name in _split(config.get(TASK_INPUTS, ""))}


def broadcast_partitions(config: Config) -> frozenset[SystemStreamPartition]:
    """The partitions that every task reads: ``kafka.rules#0`` or ``kafka.rules#[0-3]`` of ``task.broadcast.inputs``.

    Raises:
        ConfigError: an entry has no partitions or no system.
    """
    listed = _split(config.get(BROADCAST_INPUTS, ""))
    return frozenset(partition for name in listed for partition in _broadcast(config, name))


def stream_ids(config: Config) -> dict[tuple[str, str], list[str]]:
    """The ids of each stream that has settings under ``streams.<id>.``, by system and stream (StreamConfig of Samza).

    Ids without a system are left out.
    """
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
