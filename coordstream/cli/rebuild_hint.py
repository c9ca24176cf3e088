"""What commands say of streams whose rows were lost with their tables, and can be made again from the archive."""

from collections.abc import Sequence
from typing import Final

from psycopg.errors import InsufficientPrivilege

from eventlog.postgres.connection import Connection
from projections.streams_to_rebuild import streams_to_rebuild

_REMEDY: Final = "run `coordstream quarantine retry`, which folds them anew"
_MOST_NAMES: Final = 3


def made_again_sentence(streams: Sequence[str]) -> str:
    """What `migrate` did where tables of the projection were missing."""
    made = "tables of the schema projection were missing: it was made again, empty"
    return f"{made}, and {_to_rebuild(streams)}" if streams else f"{made}; the archive has no stream to rebuild."


def unfolded_sentence(connection: Connection) -> str:
    """Which streams are to be rebuilt, and how; empty where none is, or this user may not see it."""
    try:
        streams = streams_to_rebuild(connection)
    except InsufficientPrivilege:  # a writer's
        return ""
    return _to_rebuild(streams) if streams else ""


def _to_rebuild(streams: Sequence[str]) -> str:
    names = ", ".join([*streams[:_MOST_NAMES], *(["…"] if len(streams) > _MOST_NAMES else [])])
    number = "1 stream is" if len(streams) == 1 else f"{len(streams)} streams are"
    return f"{number} to be rebuilt from the archive ({names}): {_REMEDY}."
