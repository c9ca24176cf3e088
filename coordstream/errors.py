"""coordstream's own errors. Each message says what is wrong, then what to do."""

import traceback

from eventlog.errors import PortableError


class CoordstreamError(PortableError):
    """A command or a call was refused."""


class SettingsError(CoordstreamError):
    """A setting is invalid; the message names its variable, never its value."""


class EmbeddedPostgresError(CoordstreamError):
    """The embedded Postgres cannot be started, stopped or reached."""


def describe_crash(error: BaseException) -> str:
    """The traceback of an unexpected error and of its causes. Messages may repeat a secret: only our own are shown."""
    message = f": {error}" if isinstance(error, PortableError) else ""
    frames = "".join(traceback.format_tb(error.__traceback__))
    shown = f"Traceback (most recent call last):\n{frames}{type(error).__qualname__}{message}"
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return shown if cause is None else f"{describe_crash(cause)}\n\nThis led to:\n\n{shown}"
