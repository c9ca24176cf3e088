"""The errors of the front door: each message is one sentence that a person can act on."""

from eventlog.errors import PortableError


class CoordstreamError(PortableError):
    """Something was refused: the message names the thing, the place and what to do."""


class SettingsError(CoordstreamError):
    """A setting can't be used; the message names its variable, never its value."""


class EmbeddedPostgresError(CoordstreamError):
    """The embedded Postgres can't be started, stopped or reached."""
