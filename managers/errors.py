"""Errors of managers. Each keeps the things it names as attributes.

ManagerError
 ├─ MissingSetting     the config lacks a required key
 ├─ NotReady           a call before start or after stop
 └─ WriteOnceChange    a change of a key that decides which task has which state
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from eventlog.errors import EventLogError


class ManagerError(EventLogError):
    """A job's data could not be read or written."""


class NotReady(ManagerError):
    """The object is not in the right state for the call."""

    def __init__(self, what: str, state: str, remedy: str) -> None:
        self.what = what
        self.state = state
        super().__init__(f"{_capitalize(what)} {state}. {_capitalize(remedy)}.")


class MissingSetting(ManagerError):
    """A job's config lacks a required key."""

    def __init__(self, config_key: str, reason: str) -> None:
        self.config_key = config_key
        super().__init__(f"The config has no {config_key}, {reason}.")


class SettingChange(NamedTuple):
    """A config key whose value differs; None: it is not set and has no default."""

    config_key: str
    previous_value: str | None
    config_value: str | None

    @property
    def old_value(self) -> str | None:
        """Deprecated name of `previous_value`."""
        warn_renamed("SettingChange.old_value", "previous_value")
        return self.previous_value

    @property
    def new_value(self) -> str | None:
        """Deprecated name of `config_value`."""
        warn_renamed("SettingChange.new_value", "config_value")
        return self.config_value


class WriteOnceChange(ManagerError):
    """A change of a write-once setting of a job that has been started."""

    def __init__(self, changes: Sequence[SettingChange]) -> None:
        self.changes = tuple(changes)
        listed = ", ".join(f"{key} from {_describe(old)} to {_describe(new)}" for key, old, new in self.changes)
        super().__init__(
            f"This changes {listed}, which would assign the job's state and checkpoints to other tasks. "
            "Keep the value, give the job a new job.id, or force the change (force=True, --force)."
        )


def warn_renamed(old: str, new: str) -> None:
    """Warn that the caller's caller uses a deprecated name."""
    warnings.warn(f"{old} is deprecated: use {new}.", DeprecationWarning, stacklevel=3)


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _describe(value: str | None) -> str:
    return "unset" if value is None else repr(value)
