"""The embedded Postgres: the programs of a wheel, with a data folder, a port and a password of their own.

Only the standard library is imported here, so any Python 3.11 can start the server.
"""

from coordstream.postgres.server import EmbeddedPostgres

__all__ = ["EmbeddedPostgres"]
