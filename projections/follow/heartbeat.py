"""The sign of life of a follower: which state each log is in, and where it ends, apart from any progress."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from eventlog.postgres.connection import Connection

State = Literal["catching-up", "live", "replacing", "refused", "stopped"]

HEARTBEAT_SECONDS: Final = 5.0

# rows that a projector holds are passed over: its progress is a sign of life too, and nobody waits for the other
_BEAT: Final = """
with beat as (
  select * from unnest(%s::integer[], %s::text[], %s::bigint[], %s::text[])
    as b (log_id, state, end_offset, state_detail)
), held as (
  select p.log_id from projection.position p join beat using (log_id) order by p.log_id for update of p skip locked
)
update projection.position p
set heartbeat_at = %s, state = b.state, state_detail = b.state_detail, end_offset = b.end_offset,
    read_at = case when p.next_offset >= b.end_offset then %s else p.read_at end
from beat b join held using (log_id)
where p.log_id = b.log_id
"""


class Beat(NamedTuple):
    """One log's row; ``end_offset`` None: nobody could say where it ends, so that its lag is unknown, not zero.

    ``detail`` is a sentence that says why it is not followed now; None: there is nothing to say.
    """

    log_id: int
    state: State
    end_offset: int | None
    detail: str | None = None


def write_beats(connection: Connection, beats: Sequence[Beat], now: datetime) -> None:
    """Write a process's heartbeats in one statement; ``now`` is the server's time before the ends were asked for."""
    if beats:
        connection.execute(_BEAT, (*map(list, zip(*beats, strict=True)), now, now))
