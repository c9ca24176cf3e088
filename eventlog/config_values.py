"""Booleans and integers in a job's config, read as Samza's ``Config`` class reads them."""

import re
from collections.abc import Mapping
from typing import Final

from eventlog.errors import ConfigError

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")


def boolean(config: Mapping[str, str], key: str, default: bool) -> bool:
    """Whether the value is ``true``, in any case; any other value is false. White space is part of the value."""
    return config[key].casefold() == "true" if key in config else default


def integer(config: Mapping[str, str], key: str, default: int, *, minimum: int | None = None) -> int:
    """The value of a key as an integer. Raises `ConfigError` if it is not one, or less than ``minimum``."""
    text = config.get(key)
    if text is None:
        return default
    is_valid = _INTEGER.fullmatch(text) is not None and (minimum is None or int(text) >= minimum)
    if not is_valid:
        raise ConfigError(f"{key} is {text!r}, not an integer{'' if minimum is None else f' from {minimum}'}.")
    return int(text)
