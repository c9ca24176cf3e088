"""Observations: facts about a log that are not events, stored permanently in ``eventlog.observation``."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from eventlog.postgres.connection import Connection

ObservationKind = Literal["gap", "swept", "truncated", "recreated"]

_INSERT: Final = """
insert into eventlog.observation (log_id, at_offset, kind, key, from_offset, to_offset, observed_at)
values (%s, %s, %s, %s, %s, %s, %s)
"""
_SELECT: Final = """
select at_offset, kind, key, from_offset, to_offset from eventlog.observation
where log_id = %s order by at_offset, observation_id
"""


class Observation(NamedTuple):
    """A fact about a log, which takes effect after the log's event at ``at_offset``.

    ``swept``: ``key`` (its exact bytes) was deleted, but compaction removed its tombstone before it was read. ``gap``,
    ``truncated`` and ``recreated``: the events ``from_offset`` to ``to_offset`` are lost (None: an unknown end).
    """

    at_offset: int
    kind: ObservationKind
    key: bytes | None = None
    from_offset: int | None = None
    to_offset: int | None = None


def write_observations(connection: Connection, log_id: int, observations: Sequence[Observation], now: datetime) -> None:
    """Insert observations of a log, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT, [(log_id, *observation, now) for observation in observations])


def read_observations(connection: Connection, log_id: int) -> Iterator[Observation]:
    """Yield all observations of a log, in the order in which they are folded."""
    return (Observation(*row) for row in connection.execute(_SELECT, (log_id,), binary=True))
