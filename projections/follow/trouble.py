"""What to do when following one stream fails, for reasons that are the stream's own."""

from enum import Enum, auto
from typing import Final

import psycopg

from eventlog.postgres.connection import server_reason
from eventlog.source import OffsetLost, StreamMissing, StreamRefused
from projections.errors import NothingFolded, PositionBeyondEnd, PositionMoved


class Reaction(Enum):
    """ATTACH_AGAIN: it is another stream now than was attached. TRY_LATER: the reason may go away meanwhile.

    GIVE_UP: another program or other settings are needed, or the follower is to end. LEAVE: the log is another
    follower's now, so nothing more is written.
    """

    ATTACH_AGAIN = auto()
    TRY_LATER = auto()
    GIVE_UP = auto()
    LEAVE = auto()


_MAY_PASS: Final = (StreamMissing, StreamRefused, NothingFolded, PositionBeyondEnd, psycopg.Error)


def reaction_to(error: Exception, *, has_end: bool) -> Reaction:
    """The reaction to an error that is no outage. ``has_end``: the follower is to end, so it does not try for ever."""
    if isinstance(error, OffsetLost):
        return Reaction.ATTACH_AGAIN
    if isinstance(error, PositionMoved):
        return Reaction.LEAVE
    return Reaction.TRY_LATER if isinstance(error, _MAY_PASS) and not has_end else Reaction.GIVE_UP


def trouble_sentence(stream_name: str, error: Exception) -> str:
    """The error in a sentence; of what Postgres says only that part which never holds a value."""
    if not isinstance(error, psycopg.Error):
        return str(error)
    reason = server_reason(error) or type(error).__name__
    return f"{stream_name} cannot be followed on: the database refuses ({reason})"
