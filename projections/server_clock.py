"""The clock of the database's server, by which all that lives in it is judged.

Followers run on many machines, whose clocks differ. Heartbeats, and when a log was last read to its end, are compared
with the time by whoever asks, so one clock writes and compares them. What happened when (``archived_at``,
``observed_at``) is the caller's to say.
"""

from datetime import datetime

from eventlog.postgres.connection import Connection


def server_now(connection: Connection) -> datetime:
    """The server's time now, also within a transaction that began earlier."""
    row = connection.execute("select clock_timestamp()").fetchone()
    if row is None:
        raise RuntimeError("select returned no row")
    now: datetime = row[0]
    return now
