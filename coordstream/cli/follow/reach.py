"""The database of a follower: waited for where it is away, as a follower that runs waits for it."""

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from coordstream.cli.database import Database, DatabaseUnreachable, open_database
from coordstream.cli.follow.ending import Ending
from eventlog.backoff import Backoff


class Reached(NamedTuple):
    """The database, whose connection is closed again, and its place in words, without a password."""

    database: Database
    words: str


def reach_database(ending: Ending, patience: float | None, say: Callable[[str], None]) -> Reached | None:
    """The database, whose schema is this program's; None if the follower is to end before it is there.

    ``patience``: wait no longer than so many seconds; None: for ever.

    Raises:
        CoordstreamError: it refuses us, or its schema is not this program's.
    """
    backoff, began, has_said = Backoff(), monotonic(), False
    while not ending.is_wished:
        try:
            with open_database() as database:
                info = database.connection.info
                return Reached(database, f"the database {info.dbname} at {info.host}:{info.port}")
        except DatabaseUnreachable as error:
            if not has_said:
                say(f"{str(error).rstrip('.')}; waiting, and trying again")
                has_said = True
            if patience is not None and monotonic() >= began + patience:
                return None
            ending.wait(backoff.next())
    return None
