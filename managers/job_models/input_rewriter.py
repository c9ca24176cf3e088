"""Inputs that config names by a pattern (RegExTopicGenerator of Samza): looked up anew at each deployment."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from eventlog.errors import ConfigError
from eventlog.inputs import TASK_INPUTS, task_inputs
from managers.job_models.java_text import text_order
from managers.job_names import Config

_REWRITERS: Final = "job.config.rewriters"
_REWRITER: Final = "job.config.rewriter."
_TOPIC_GENERATOR: Final = ".RegExTopicGenerator"


def with_matching_inputs(config: Config, streams: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The config with every stream in ``task.inputs`` that a rewriter by pattern asks for, among those that there are.

    ``streams`` has the names of each system's streams. What a rewriter's ``config.`` says goes to the settings of each
    stream that it found, unless these are set. Other rewriters are left to those who wrote them.

    Raises:
        ConfigError: a rewriter has no pattern or no system, or its pattern can't be read.
    """
    result = dict(config)
    for prefix in _generators(config):
        system = _setting(config, f"{prefix}system")
        found = _matching(config, f"{prefix}regex", streams.get(system, ()))
        inherited = _below(config, f"{prefix}config.")
        added = {f"systems.{system}.streams.{stream}.{key}": inherited[key] for stream in found for key in inherited}
        result = {**added, **result, TASK_INPUTS: _listed({*task_inputs(result), *((system, each) for each in found)})}
    return result


def _generators(config: Config) -> Iterator[str]:
    """What the keys of each rewriter by pattern start with, in their order."""
    for name in config.get(_REWRITERS, "").split(","):
        prefix = f"{_REWRITER}{name.strip()}."
        if config.get(f"{prefix}class", "").endswith(_TOPIC_GENERATOR):
            yield prefix


def _matching(config: Config, key: str, streams: Collection[str]) -> list[str]:
    try:
        pattern = re.compile(_setting(config, key))
    except re.error as error:
        raise ConfigError(f"{key} is no regular expression ({error}): correct it") from None
    return [stream for stream in streams if pattern.fullmatch(stream)]


def _below(config: Config, prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}


def _listed(inputs: Collection[tuple[str, str]]) -> str:
    return ",".join(sorted((f"{system}.{stream}" for system, stream in inputs), key=text_order))


def _setting(config: Config, key: str) -> str:
    if key not in config:
        raise ConfigError(f"the config has no {key}: set it, since {_REWRITERS} names its rewriter")
    return config[key]
