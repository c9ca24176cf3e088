"""Observations: facts about a log that are no events, kept in ``eventlog.observation`` for ever."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from eventlog.connection import Connection

ObservationKind = Literal["gap", "swept", "truncated", "recreated"]

_INSERT: Final = """
insert into eventlog.observation (log_id, at_offset, kind, key, from_offset, to_offset, observed_at)
values (%s, %s, %s, %s, %s, %s, %s)
"""
_OBSERVED: Final = """
select at_offset, kind, key, from_offset, to_offset from eventlog.observation
where log_id = %s order by at_offset, observation_id
"""


class Observation(NamedTuple):
    """What was found out about a log, to be placed after its event at ``at_offset``.

    ``swept``: ``key`` (its exact bytes) is gone, though its tombstone was never seen. ``gap``, ``truncated`` and
    ``recreated``: the events ``from_offset`` to ``to_offset`` (None: to nobody knows where) will never be seen.
    """

    at_offset: int
    kind: ObservationKind
    key: bytes | None = None
    from_offset: int | None = None
    to_offset: int | None = None


def observe(connection: Connection, log_id: int, observations: Sequence[Observation], now: datetime) -> None:
    """Write observations down, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT, [(log_id, *observation, now) for observation in observations])


def observed(connection: Connection, log_id: int) -> Iterator[Observation]:
    """All observations of a log, in the order in which they are folded."""
    return (Observation(*row) for row in connection.execute(_OBSERVED, (log_id,), binary=True))
