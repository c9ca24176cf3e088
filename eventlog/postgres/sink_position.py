"""The position of a job in the database of its output: a row that the transaction of the output compares and sets."""

import os
import socket
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import uuid4

from eventlog.postgres.connection import Connection

_CREATE: Final = """
create table if not exists steered_position (
  job_name text not null, job_id text not null, batch bigint not null, places jsonb not null, copy_id text not null,
  holder text not null, committed_at timestamptz not null default clock_timestamp(), primary key (job_name, job_id))
"""
_TAKE: Final = """
insert into steered_position (job_name, job_id, batch, places, copy_id, holder) values (%s, %s, 0, '[]', %s, %s)
on conflict (job_name, job_id) do update set copy_id = excluded.copy_id, holder = excluded.holder
returning batch, places::text
"""
_MOVE: Final = """
update steered_position set batch = %s, places = %s, committed_at = clock_timestamp()
where job_name = %s and job_id = %s and copy_id = %s and batch <= %s
"""
_HOLDER: Final = "select copy_id, holder from steered_position where job_name = %s and job_id = %s for update"


class Taken(NamedTuple):
    """What the last copy of a job left: the number of its last batch, the places as JSON, and its own id, if any."""

    batch: int
    places: str
    copy_id: str


@dataclass(frozen=True)
class SinkPosition:
    """The row of one job, as one copy of the job sees it. Its table, ``steered_position``, is in the search path."""

    job_name: str
    job_id: str
    copy_id: str = field(default_factory=lambda: uuid4().hex)

    def take(self, connection: Connection) -> Taken:
        """Take the job over from any other copy. Waits for a commit of another copy; a later one fails.

        Creates the table if it is missing.
        """
        holder = f"{socket.gethostname()}, process {os.getpid()}"
        with connection.transaction():
            connection.execute(_CREATE)
            last = connection.execute(_HOLDER, (self.job_name, self.job_id)).fetchone()
            ((batch, places),) = connection.execute(
                _TAKE, (self.job_name, self.job_id, self.copy_id, holder)
            ).fetchall()
        return Taken(batch, places, "" if last is None else last[0])

    def move(self, connection: Connection, batch: int, places: str) -> bool:
        """Set the position in the open transaction; False: another copy has taken the job over. Write nothing then."""
        row = (batch, places, self.job_name, self.job_id, self.copy_id, batch)
        return connection.execute(_MOVE, row).rowcount == 1

    def other_holder(self, connection: Connection) -> str:
        """Host and process of another copy that has taken the job over; empty if none has."""
        found = connection.execute(_HOLDER, (self.job_name, self.job_id)).fetchone()
        return "" if found is None or found[0] == self.copy_id else found[1]
