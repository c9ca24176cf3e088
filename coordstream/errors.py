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
    """The type and the places of an unexpected error, without its message, which may repeat a secret."""
    return "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
