"""What can go wrong with a job's stream and its config; each error keeps what it is about as attributes.

ManagerError
 ├─ NotReady           a call before start or after stop
 ├─ MissingSetting     the config lacks a key that is needed
 └─ WriteOnceChange    a key would change that decides where a job's state is
"""

from collections.abc import Sequence
from typing import NamedTuple

from eventlog.errors import EventLogError


class ManagerError(EventLogError):
    """What a job says could not be read or written."""


class NotReady(ManagerError):
    """A call came in the wrong state of what it was made to."""

    def __init__(self, what: str, state: str, remedy: str) -> None:
        self.what = what
        self.state = state
        super().__init__(f"{what} {state}: {remedy}")


class MissingSetting(ManagerError):
    """A job's config lacks a key."""

    def __init__(self, config_key: str, need: str) -> None:
        self.config_key = config_key
        super().__init__(f"the config has no {config_key}: set it, {need}")


class SettingChange(NamedTuple):
    """A key whose value differs; None: it is not set, and has no default."""

    config_key: str
    old_value: str | None
    new_value: str | None


class WriteOnceChange(ManagerError):
    """A config changes what decides which task has which state, in a job that has been started already."""

    def __init__(self, changes: Sequence[SettingChange]) -> None:
        self.changes = tuple(changes)
        listed = ", ".join(f"{key} from {_shown(old)} to {_shown(new)}" for key, old, new in self.changes)
        super().__init__(
            f"this changes {listed}, and the state and checkpoints that the job has would meet other tasks: "
            "leave it, give the job a new job.id, or force it (force=True, --force)"
        )


def _shown(value: str | None) -> str:
    return "unset" if value is None else repr(value)
