"""The streams a job reads, as its config names them."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

TASK_INPUTS: Final = "task.inputs"
BROADCAST_INPUTS: Final = "task.broadcast.inputs"
DEFAULT_SYSTEM: Final = "job.default.system"

_BROADCAST_PARTITIONS: Final = re.compile(r"#(?:[0-9]+|\[[0-9]+-[0-9]+\])$")

Config = Mapping[str, str]


def inputs(config: Config) -> set[tuple[str, str]] | None:
    """System and stream of each input, broadcast ones too; None where config does not name any key of inputs.

    A name without a dot is a stream id, which config maps to a system and a physical stream. A stream id whose system
    config does not tell is left out.
    """
    if TASK_INPUTS not in config and BROADCAST_INPUTS not in config:
        return None
    named = (*_names(config.get(TASK_INPUTS, "")), *_names(config.get(BROADCAST_INPUTS, "")))
    return {found for name in named if (found := _system_stream(config, name)) is not None}


def _names(listed: str) -> Iterator[str]:
    for name in listed.split(","):
        if name.strip():
            yield _BROADCAST_PARTITIONS.sub("", name.strip())


def _system_stream(config: Config, name: str) -> tuple[str, str] | None:
    system, dot, stream = name.partition(".")
    if dot:
        return system, stream
    known = config.get(f"streams.{name}.samza.system", config.get(DEFAULT_SYSTEM))
    return None if known is None else (known, config.get(f"streams.{name}.samza.physical.name", name))
