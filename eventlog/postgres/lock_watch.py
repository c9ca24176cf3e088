"""Tells for which lock, and for whom, sessions wait that wait for long."""

import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, Self

import psycopg

from eventlog.postgres.connection import Connection, connect

APPLICATION_NAME: Final = "coordstream lock watch"
LONG_SECONDS: Final = 10.0
"""A session that has waited for so long is reported."""
SAMPLE_SECONDS: Final = 1.0
_FORGET_SECONDS: Final = 5.0
"""Whoever gives up and tries again within this time still waits."""

_WAITS: Final = """
select clock_timestamp(), coalesce(w.waitstart, clock_timestamp()), coalesce(t.relation::regclass::text, 'a row'),
       blocking.pid, nullif(b.application_name, ''), b.xact_start
from pg_locks w
cross join lateral unnest(pg_blocking_pids(w.pid)) as blocking (pid)
left join pg_stat_activity b on b.pid = blocking.pid
left join lateral (                 -- who waits for a row holds a lock of its number, and waits for a transaction
  select l.relation from pg_locks l where l.pid = w.pid and l.relation is not null
  order by l.granted, l.locktype = 'tuple' desc limit 1) t on true
where w.pid = any(%s) and not w.granted
order by b.xact_start, blocking.pid limit 1
"""


def print_line(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


class LockWatch:
    """During a ``with`` block, a thread watches sessions, over a connection of its own that it opens after
    ``first_seconds``: by default a command that ends sooner needs none. ``report`` is called in that thread, once for
    each holder of a lock for which one of them has waited for `LONG_SECONDS`, be it in several tries. ``backend_pids``
    are the sessions, which may change. ``waits_for`` is what was reported, until the wait is over; then it is empty.
    """

    def __init__(
        self,
        database_url: str,
        report: Callable[[str], None] = print_line,
        backend_pids: Sequence[int] = (),
        *,
        first_seconds: float | None = None,
    ) -> None:
        self.backend_pids = list(backend_pids)
        self.waits_for = ""
        self._first_seconds = LONG_SECONDS if first_seconds is None else first_seconds
        self._url = database_url
        self._report = report
        self._ended = Event()
        self._thread = Thread(target=self._watch, name=APPLICATION_NAME, daemon=True)
        self._began: Any = None
        self._seen_at = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(SAMPLE_SECONDS)

    def _watch(self) -> None:
        connection: Connection | None = None
        seconds = self._first_seconds
        while not self._ended.wait(seconds):
            seconds = SAMPLE_SECONDS
            try:
                if connection is None or connection.closed:
                    connection = connect(self._url, application_name=APPLICATION_NAME)
                row = connection.execute(_WAITS, (self.backend_pids,)).fetchone()
            except psycopg.Error:  # those who are watched report an outage
                row = None
            self._note(row)
        if connection is not None:
            connection.close()

    def _note(self, row: tuple[Any, ...] | None) -> None:
        if row is None:
            if monotonic() >= self._seen_at + _FORGET_SECONDS:
                self._began, self.waits_for = None, ""
            return
        now, began, relation, pid, application, in_transaction_since = row
        self._seen_at = monotonic()
        self._began = self._began or began
        if now < self._began + timedelta(seconds=LONG_SECONDS):
            return
        since = "" if in_transaction_since is None else f", in a transaction since {in_transaction_since:%H:%M:%S}"
        holder = (
            f"{application or 'another program'} (Postgres backend {pid}{since})" if pid else "a prepared transaction"
        )
        sentence = f"Waiting since {self._began:%Y-%m-%d %H:%M:%S} UTC for a lock on {relation}, which {holder} holds."
        if sentence != self.waits_for:
            self.waits_for = sentence
            self._report(sentence)
