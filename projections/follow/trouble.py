"""What to do when following one stream fails, for reasons that are the stream's own."""

from enum import Enum, auto

import psycopg

from eventlog.connection import server_reason
from eventlog.source import OffsetLost, StreamMissing
from projections.errors import PositionMoved


class Reaction(Enum):
    """ATTACH_AGAIN: it is another stream now than was attached. TRY_LATER: somebody may mend it meanwhile.

    GIVE_UP: not before a restart. LEAVE: the same, and nothing more is written, since the log is another's now.
    """

    ATTACH_AGAIN = auto()
    TRY_LATER = auto()
    GIVE_UP = auto()
    LEAVE = auto()


def reaction_to(error: Exception, *, has_end: bool) -> Reaction:
    """The reaction to an error that is no outage. ``has_end``: the follower is to end, so it does not try for ever."""
    if isinstance(error, OffsetLost):
        return Reaction.ATTACH_AGAIN
    if isinstance(error, PositionMoved):
        return Reaction.LEAVE
    may_pass = isinstance(error, StreamMissing | psycopg.Error) and not has_end
    return Reaction.TRY_LATER if may_pass else Reaction.GIVE_UP


def trouble_sentence(stream_name: str, error: Exception) -> str:
    """The error in a sentence; of what Postgres says only that part which never holds a value."""
    if not isinstance(error, psycopg.Error):
        return str(error)
    reason = server_reason(error) or type(error).__name__
    return f"{stream_name} cannot be followed on: the database refuses ({reason})"
