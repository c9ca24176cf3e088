"""coordstream's own errors. Each message says what is wrong, then what to do."""

from eventlog.errors import PortableError


class CoordstreamError(PortableError):
    """A command or a call was refused."""


class SettingsError(CoordstreamError):
    """A setting is invalid; the message names its variable, never its value."""


class EmbeddedPostgresError(CoordstreamError):
    """The embedded Postgres cannot be started, stopped or reached."""
