"""The base classes of the errors, and those that several modules raise."""

from typing import Any, Final, Literal

Reason = Literal[
    "null_key",
    "not_utf8",
    "not_json",
    "empty",
    "wrong_type",
    "missing_field",
    "bad_partition",
    "bad_number",
    "unknown_startpoint",
    "bad_checkpoint_id",
    "nul",
    "surrogate",
    "duplicate_partition",
]


class PortableError(Exception):
    """The base class of all errors of this project; they can be pickled, to be raised in another process.

    By default Python unpickles an exception by calling its class with the message only.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args), self.__dict__


def _restore(error_class: type[PortableError], args: tuple[Any, ...]) -> PortableError:
    return error_class.__new__(error_class, *args)


class EventLogError(PortableError):
    """An operation on an event log failed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message if message is not None else type(self).__doc__)


class WireError(EventLogError):
    """The bytes of a record could not be decoded.

    ``reason`` is the code that the relation ``quarantine`` shows. ``detail`` names the field or JSON type that is wrong
    and never includes a value of the record, which may be a secret.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Final[Reason] = reason
        self.detail: Final = detail


class RecordingError(EventLogError):
    """A recording file could not be read or written."""


class StreamKindError(EventLogError):
    """The name of a stream does not say whether it is a coordinator stream or a checkpoint topic."""


class ConfigError(EventLogError, ValueError):
    """A value in a job's config cannot be used."""
