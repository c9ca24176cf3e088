"""`coordstream watch`: what happens to a job, as sentences, while a follower reads its logs."""

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from time import sleep
from typing import Annotated, Final, NamedTuple

import typer
from psycopg import sql
from psycopg.rows import dict_row

from coordstream.cli.arguments.options import JobWord, Since
from coordstream.cli.watch.sentences import KINDS, Narrator, Seen
from coordstream.database import open_database
from coordstream.queries.cut import Cut
from coordstream.queries.history import FETCHED_AT_ONCE
from coordstream.queries.rows import IsoTimeLoader, Row, input_partition, job_values, state
from coordstream.times import exact
from eventlog.postgres.connection import Connection, snapshot
from projections.job_choice import Job, find_job

app = typer.Typer()

POLL_SECONDS: Final = 0.5

_POSITIONS: Final = """
select j.log_id, j.stream_kind, j.incarnation, p.next_offset
from projection.job_log j join projection.position p using (log_id)
where j.job_name = %s and j.job_id = %s and j.is_current
"""
_CUT: Final = "select cut from projection.log_cut(%s, %s)"
_PREFERRED: Final = sql.SQL("and h.is_preferred")
_BETWEEN: Final = sql.SQL("""
select h.* from coordinator.{relation} h
where h.job_name = %(name)s and h.job_id = %(id)s and h.stream_kind = %(kind)s and h.incarnation = %(incarnation)s
  and h.log_offset >= %(first)s and h.log_offset < %(last)s {condition}
order by h.log_offset
""")
_NOW: Final = "select now()"
_EXPIRED: Final = sql.SQL("""
select h.* from coordinator.startpoint_history h
where h.job_name = %(name)s and h.job_id = %(id)s and h.incarnation = %(incarnation)s
  and h.status = 'expired' and h.record_time > %(after)s and h.record_time <= %(now)s
order by h.record_time
""")


class Position(NamedTuple):
    """How far a log has been folded."""

    log_id: int
    stream_kind: str
    incarnation: int
    next_offset: int


@app.command()
def watch(
    job: JobWord,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help=f"Only events of this kind: {', '.join(KINDS)}. Repeatable."),
    ] = None,
    since: Since = None,
    once: Annotated[bool, typer.Option("--once", help="Show what there is, then exit (with --since).")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Show what happens to a job, as sentences, until Ctrl-C: commits, changed config, moved containers and tasks.

    Reads the relations, so a follower must be reading the job's logs.
    """
    for unknown in set(kinds or ()).difference(KINDS):
        raise typer.BadParameter(f"Invalid value for '--kind': {unknown!r}. Expected one of: {', '.join(KINDS)}.")
    if once and since is None:
        raise typer.BadParameter("'--once' needs '--since': there is nothing else to show before it exits.")
    with open_database() as database:
        watcher = Watcher(database.connection, find_job(database.connection, job), tuple(kinds or KINDS), since)
        try:
            while True:
                for line in watcher.new_lines():
                    print(json.dumps(line, ensure_ascii=False) if as_json else _text(line))
                sys.stdout.flush()
                if once:
                    return
                sleep(POLL_SECONDS)
        except KeyboardInterrupt:  # the way to end it
            return


class Watcher:
    """Tells what happens to a job, from its newest events or from a time on."""

    def __init__(self, connection: Connection, job: Job, kinds: Sequence[str], since: datetime | None) -> None:
        self._connection, self._job, self._kinds = connection, job, kinds
        with snapshot(connection):
            self._next = {each.log_id: self._start(each, since) for each in self._positions()}
            self._told_until = since or self._now()
            self._narrator = Narrator(self._state(Cut(since)))

    def new_lines(self) -> Iterator[Row]:
        """What the events since the last call said, and which startpoints have expired since, by record time.

        The events of each log are in its order.
        """
        with snapshot(self._connection):
            positions, now = self._positions(), self._now()
            logs = [self._rows(each, self._next.get(each.log_id, 0)) for each in positions]
            expired = [self._expired(each, now) for each in positions if each.stream_kind == "coordinator"]
            for row, kind in merge(*logs, *expired, key=_time):
                if (sentence := self._narrator.sentence(kind, row)) is not None:
                    yield _line(row, kind, sentence)
        self._next |= {each.log_id: each.next_offset for each in positions}
        self._told_until = now

    def _now(self) -> datetime:
        """The time of the transaction, at which the relations judge whether a startpoint has expired."""
        now: datetime = self._connection.execute(_NOW).fetchall()[0][0]
        return now

    def _positions(self) -> list[Position]:
        return [Position(*row) for row in self._connection.execute(_POSITIONS, tuple(self._job)).fetchall()]

    def _start(self, position: Position, since: datetime | None) -> int:
        if since is None:
            return position.next_offset
        ((last,),) = self._connection.execute(_CUT, (position.log_id, since)).fetchall()
        return min(int(last) + 1, position.next_offset)

    def _state(self, cut: Cut) -> Seen:
        checkpoints = state(self._connection, "checkpoint", self._job, cut)
        containers = state(self._connection, "container_host", self._job, cut)
        tasks = state(self._connection, "task_container", self._job, cut)
        return {
            **{
                ("checkpoint", row["task_name"], input_partition(row)): row["input_offset_number"]
                for row in checkpoints
            },
            **{("container", row["container_id"]): row["host_name"] for row in containers},
            **{("task", row["task_name"]): row["container_id"] for row in tasks},
        }

    def _rows(self, log: Position, first: int) -> Iterator[tuple[Row, str]]:
        """The rows of a log from an offset on, each with its kind, in the order of the log."""
        if first >= log.next_offset:
            return iter(())
        values = {"kind": log.stream_kind, "incarnation": log.incarnation, "first": first, "last": log.next_offset}
        found = [self._rows_of_kind(kind, log.log_id, {**job_values(self._job), **values}) for kind in self._kinds]
        return merge(*found, key=lambda each: each[0]["log_offset"])

    def _rows_of_kind(self, kind: str, log_id: int, values: Row) -> Iterator[tuple[Row, str]]:
        condition = _PREFERRED if KINDS[kind].only_preferred else sql.SQL("")
        query = _BETWEEN.format(relation=sql.Identifier(KINDS[kind].relation), condition=condition)
        return self._fetch(kind, f"watch_{kind}_{log_id}", query, values)

    def _expired(self, log: Position, now: datetime) -> Iterator[tuple[Row, str]]:
        """The startpoints that have expired since the last call, which no event says."""
        if "startpoint" not in self._kinds:
            return iter(())
        values = {"incarnation": log.incarnation, "after": self._told_until, "now": now}
        return self._fetch("startpoint", "watch_expired", _EXPIRED, {**job_values(self._job), **values})

    def _fetch(self, kind: str, name: str, query: sql.Composable, values: Row) -> Iterator[tuple[Row, str]]:
        """The rows of a query, with their kind, fetched while they are printed. ``name`` is that of the cursor."""
        with self._connection.cursor(name, row_factory=dict_row) as cursor:
            cursor.adapters.register_loader("timestamptz", IsoTimeLoader)
            cursor.itersize = FETCHED_AT_ONCE
            for row in cursor.execute(query.as_bytes(self._connection), values):
                yield row, kind


def _time(found: tuple[Row, str]) -> str:
    """A key to sort by the record time, of which `IsoTimeLoader` drops zeros at the end."""
    return (found[0]["record_time"] or "").rstrip("Z")


def _text(line: Row) -> str:
    return f"{'–' if line['time'] is None else exact(line['time'])}  {line['sentence']}"


def _line(row: Row, kind: str, sentence: str) -> Row:
    return {
        "time": row["record_time"],
        "kind": kind,
        "sentence": sentence,
        "stream_kind": row["stream_kind"],
        "log_offset": row["log_offset"],
    }
