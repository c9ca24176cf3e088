"""Reads a page of a relation: filtered, as of a moment, in the order of its key."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from psycopg import sql
from sqlalchemy import TableClause

from coordstream.queries.history import FIRST_WIDTH, WIDENING, Stretch
from coordstream.queries.rows import Row, fetch
from coordstream.serve.api.parameters import Parameters, sql_type
from coordstream.serve.failures import BadRequest
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PROVENANCE: Final = ("stream_kind", "incarnation", "log_offset")
_JOB: Final = ("job_name", "job_id")
_COMMENT: Final = "select obj_description(to_regclass(%s), 'pg_class')"
_HAS_FUNCTION: Final = (
    "select exists (select from pg_proc where proname = %s and pronamespace = 'coordinator'::regnamespace)"
)
_SELECT: Final = sql.SQL("select h.* from {source} h where {conditions} order by {order} limit %(limit)s")
_SOURCES: Final = {
    "": sql.SQL("coordinator.{}"),
    "_as_of": sql.SQL("coordinator.{}(%(name)s, %(id)s, %(as_of)s)"),
    "_as_of_offset": sql.SQL("coordinator.{}(%(name)s, %(id)s, %(as_of_offset)s)"),
}
_LOGS: Final = """
select stream_kind, incarnation, max(next_offset) from coordinator.log_position
where job_name = %s and job_id = %s group by stream_kind, incarnation order by stream_kind collate "C", incarnation
"""
_WITHIN: Final = sql.SQL(
    "h.stream_kind = %(stream_kind)s and h.incarnation = %(incarnation)s"
    " and h.log_offset between %(first)s and %(last)s"
)
_IN_ONE_QUERY: Final = ("anomaly", "startpoint_history")
"""Anomalies are few, and some steps of startpoints have no offset."""


class RowsPage(NamedTuple):
    """Rows, and the key of the last one if there are more."""

    rows: list[Row]
    last_key: list[Any] | None


def key_columns(connection: Connection, relation: TableClause) -> tuple[str, ...]:
    """The columns that identify a row, as the comment of the relation names them."""
    found = connection.execute(_COMMENT, (f"coordinator.{relation.name}",)).fetchone()
    names = str(found[0]).rpartition("Key: ")[2].rstrip(".").split(", ") if found else []
    own = [column for name in names for column in (PROVENANCE if name == "provenance" else (name,))]
    return tuple(dict.fromkeys([*_JOB, *(name for name in own if name != "the job")]))


def read_rows(connection: Connection, asked: Parameters, job: Job | None) -> RowsPage:
    """The rows that are asked for. Raises BadRequest if the relation is not known as of a moment."""
    key = key_columns(connection, asked.relation)
    conditions, values = _conditions(asked, job, key)
    source = _source(connection, asked)
    order = sql.SQL(", ").join(sql.SQL("h.{}").format(sql.Identifier(name)) for name in key)
    is_in_ranges = job is not None and key[2:5] == PROVENANCE and asked.relation.name not in _IN_ONE_QUERY
    rows: list[Row] = []
    for within in _ranges(connection, job, asked.after) if job is not None and is_in_ranges else [None]:
        also = [] if within is None else [_WITHIN]
        query = _SELECT.format(source=source, conditions=sql.SQL(" and ").join([*conditions, *also]), order=order)
        limit = {"limit": asked.limit + 1 - len(rows)}
        rows += fetch(connection, query, values | limit | ({} if within is None else within._asdict()))
        if len(rows) > asked.limit:
            break
    shown = rows[: asked.limit]
    return RowsPage(shown, [shown[-1][name] for name in key] if len(rows) > len(shown) else None)


def _ranges(connection: Connection, job: Job, after: list[Any] | None) -> Iterator[Stretch]:
    """Ranges of the offsets of a job's logs in the order of a history's key, each wider than the one before.

    No index sorts the events of a log by age alone: a page is found in a range that has about as many.
    """
    reached = None
    if after is not None:
        if [*map(type, after[2:5])] != [str, int, int]:
            raise _bad_key()
        reached = (after[2], after[3])
    for kind, incarnation, end in connection.execute(_LOGS, job).fetchall():
        if reached is not None and (kind, incarnation) < reached:
            continue
        first, width = after[4] if after is not None and (kind, incarnation) == reached else 0, FIRST_WIDTH
        while first < end:
            yield Stretch(kind, incarnation, first, first + width - 1)
            first, width = first + width, width * WIDENING


def _source(connection: Connection, asked: Parameters) -> sql.Composed:
    suffix = "_as_of" if asked.cut.time is not None else "_as_of_offset" if asked.cut.offset is not None else ""
    name = f"{asked.relation.name}{suffix}"
    if suffix and connection.execute(_HAS_FUNCTION, (name,)).fetchone() != (True,):
        raise BadRequest(f'Relation "{asked.relation.name}" has no parameter "{suffix[1:]}".')
    return _SOURCES[suffix].format(sql.Identifier(name))


def _conditions(asked: Parameters, job: Job | None, key: tuple[str, ...]) -> tuple[list[sql.Composable], Row]:
    values: Row = {"as_of": asked.cut.time, "as_of_offset": asked.cut.offset}
    conditions: list[sql.Composable] = [sql.SQL("true")]
    if job is not None:
        conditions.append(sql.SQL("h.job_name = %(name)s and h.job_id = %(id)s"))
        values |= {"name": job.name, "id": job.id}
    for column, accepted in (asked.equal or {}).items():
        value = sql.Placeholder(f"equal_{column}")
        test = sql.SQL("h.{} = {}") if len(accepted) == 1 else sql.SQL("h.{} = any({})")
        conditions.append(test.format(sql.Identifier(column), value))
        values[f"equal_{column}"] = accepted[0] if len(accepted) == 1 else accepted
    for name, comparison, time in (("since", ">=", asked.since), ("until", "<=", asked.until)):
        if time is not None:
            compared = sql.Identifier(asked.time_column or "")
            conditions.append(sql.SQL("h.{} {} {}").format(compared, sql.SQL(comparison), sql.Placeholder(name)))
            values[name] = time
    if asked.after is not None:
        conditions.append(_after(asked, key, values))
    return conditions, values


def _bad_key() -> BadRequest:
    return BadRequest('Invalid value of "after": it belongs to another relation.')


def _after(asked: Parameters, key: tuple[str, ...], values: Row) -> sql.Composable:
    """Rows behind a key, in an order in which null comes last."""
    after = asked.after or []
    if len(after) != len(key):
        raise _bad_key()
    ways: list[sql.Composable] = []
    same: list[sql.Composable] = []
    for name, value in zip(key, after, strict=True):
        column = sql.SQL("h.{}").format(sql.Identifier(name))
        given = sql.SQL("{}::{}").format(sql.Placeholder(f"after_{name}"), sql.SQL(sql_type(asked.relation, name)))
        values[f"after_{name}"] = None if value is None else str(value)
        behind = sql.SQL("({c} > {v} or {c} is null and {v} is not null)").format(c=column, v=given)
        ways.append(sql.SQL("({})").format(sql.SQL(" and ").join([*same, behind])))
        same.append(sql.SQL("{} is not distinct from {}").format(column, given))
    first = sql.SQL("h.job_name >= {}").format(sql.Placeholder("after_job_name"))
    return sql.SQL("{} and ({})").format(first, sql.SQL(" or ").join(ways))
