"""Questions to the relations; every time comes as text in ISO 8601, UTC."""

from typing import Any, Final

from psycopg import sql
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.rows import dict_row

from coordstream.cli.cut import Cut
from coordstream.cli.jobs import Job
from eventlog.connection import Connection

Row = dict[str, Any]

_UP_TO: Final = sql.SQL(
    """
    select h.* from coordinator.{relation} h cross join {cut} c
    where h.job_name = %(name)s and h.job_id = %(id)s
      and case h.stream_kind
          when 'coordinator' then (h.incarnation, h.log_offset) <= (c.coordinator_incarnation, c.coordinator_cut)
          else (h.incarnation, h.log_offset) <= (c.checkpoint_incarnation, c.checkpoint_cut) end
    """
)
_OF_JOB: Final = sql.SQL("select h.* from coordinator.{relation} h where h.job_name = %(name)s and h.job_id = %(id)s")
_CUT_AT_TIME: Final = sql.SQL("projection.job_at(%(name)s, %(id)s, %(time)s)")
_CUT_AT_OFFSET: Final = sql.SQL("projection.job_at_offset(%(name)s, %(id)s, %(offset)s, %(kind)s, null)")


class IsoTimeLoader(Loader):
    """Reads timestamptz as ISO 8601 text, since Python's datetime ends with the year 9999 and Postgres' does not."""

    def load(self, data: Buffer) -> str:
        """``2026-01-31T12:00:00.5Z`` of what a session in UTC prints."""
        return bytes(data).decode().replace(" ", "T", 1).replace("+00", "Z", 1)


def fetch(connection: Connection, query: sql.Composable, values: Row | None = None) -> list[Row]:
    """All rows of a query, as dictionaries by column name."""
    with connection.cursor(row_factory=dict_row) as cursor:
        cursor.adapters.register_loader("timestamptz", IsoTimeLoader)
        return cursor.execute(query.as_bytes(connection), values).fetchall()


def state(connection: Connection, relation: str, job: Job, cut: Cut) -> list[Row]:
    """The rows of a relation that says what is true: now, or by its as-of function at a cut."""
    names: dict[str, sql.Composable] = {"relation": sql.Identifier(relation)}
    query = _OF_JOB.format(**names)
    if cut.time is not None:
        function = sql.Identifier("coordinator", f"{relation}_as_of")
        query = sql.SQL("select * from {}(%(name)s, %(id)s, %(time)s)").format(function)
    elif cut.offset is not None:
        function = sql.Identifier("coordinator", f"{relation}_as_of_offset")
        query = sql.SQL("select * from {}(%(name)s, %(id)s, %(offset)s)").format(function)
    return fetch(connection, query, _values(job, cut))


def history(connection: Connection, relation: str, job: Job, cut: Cut, kind: str | None) -> list[Row]:
    """The rows of a history up to a cut, in the order of the log.

    ``kind`` is that of the log whose offset the cut names; None: the log that the job's checkpoints are read from.
    """
    names = {"relation": sql.Identifier(relation)}
    if cut == Cut():
        query = _OF_JOB.format(**names)
    else:
        query = _UP_TO.format(**names, cut=_CUT_AT_TIME if cut.offset is None else _CUT_AT_OFFSET)
    ordered = query + sql.SQL(" order by h.stream_kind, h.incarnation, h.log_offset")
    return fetch(connection, ordered, _values(job, cut) | {"kind": kind})


def _values(job: Job, cut: Cut) -> Row:
    return {"name": job.name, "id": job.id, "time": cut.time, "offset": cut.offset}
