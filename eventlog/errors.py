"""The errors of the event log: what could not be read, and where."""

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
    """The root of our errors: one comes out of a pickle (from another process) as it went in.

    Python would make it anew from its sentence alone, which is not what its class takes.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _as_it_was, (type(self), self.args), self.__dict__


def _as_it_was(error_class: type[PortableError], args: tuple[Any, ...]) -> PortableError:
    return error_class.__new__(error_class, *args)


class EventLogError(PortableError):
    """The event log could not do what was asked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message if message is not None else type(self).__doc__)


class WireError(EventLogError):
    """The bytes of a record could not be understood.

    ``reason`` is a short code that a quarantine row shows; ``detail`` says in words which field or which JSON type
    is wrong, and never repeats what stood in the record, which may be a secret.
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
