"""The embedded Postgres: the binaries of a wheel, run on a data folder, a port and a password of our own.

Only the standard library is imported here, so that any Python 3.11 can start the server.
"""

from coordstream.postgres.server import EmbeddedPostgres, ServerStatus

__all__ = ["EmbeddedPostgres", "ServerStatus"]
