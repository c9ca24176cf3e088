"""The relations as JSON, ``/api`` and ``/api/<relation>``: filtered, as of a moment, in pages by their key.

Values are compared as Postgres reads them; it rejects those that a column cannot have.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from json import JSONDecodeError, dumps, loads
from typing import Any, Final
from urllib.parse import urlencode

from psycopg import sql
from sqlalchemy import TableClause
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from coordstream.queries.history import FIRST_WIDTH, WIDENING, Stretch
from coordstream.queries.rows import Row, fetch
from coordstream.relations import RELATIONS
from coordstream.serve.answers import shared
from coordstream.serve.application import Refused
from coordstream.serve.database import snapshot
from coordstream.serve.pages.asked import number_of, time_of
from eventlog.errors import is_utf8, known_names, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job, find_job

LIMIT: Final = 1_000
MOST_ROWS: Final = 10_000
PROVENANCE: Final = ("stream_kind", "incarnation", "log_offset")
_JOB: Final = ("job_name", "job_id")
_OPTIONS: Final = ("after", "as_of", "as_of_offset", "job", "limit", "since", "until")
_TIME_COLUMNS: Final = ("record_time", "observed_at", "last_record_time", "valid_from", "heartbeat_at")
_IN_ONE_QUERY: Final = ("anomaly", "startpoint_history")
"""Anomalies are few, and some steps of startpoints have no offset."""

_COMMENT: Final = "select obj_description(to_regclass(%s), 'pg_class')"
_HAS_FUNCTION: Final = (
    "select exists (select from pg_proc where proname = %s and pronamespace = 'coordinator'::regnamespace)"
)
_SELECT: Final = sql.SQL("select h.* from {source} h where {conditions} order by {order} limit %(limit)s")
_SOURCES: Final = {
    "": sql.SQL("coordinator.{}"),
    "_as_of": sql.SQL("coordinator.{}(%(name)s, %(id)s, %(as_of)s)"),
    "_as_of_offset": sql.SQL("coordinator.{}(%(name)s, %(id)s, %(as_of_offset)s::bigint)"),
}
_LOGS: Final = """
select stream_kind, incarnation, max(next_offset) from coordinator.log_position
where job_name = %s and job_id = %s group by stream_kind, incarnation order by stream_kind collate "C", incarnation
"""
_WITHIN: Final = sql.SQL(
    "h.stream_kind = %(stream_kind)s and h.incarnation = %(incarnation)s"
    " and h.log_offset between %(first)s and %(last)s"
)


@dataclass(frozen=True)
class Query:
    """What is asked of a relation: its options, and the accepted values of columns."""

    relation: TableClause
    options: dict[str, str] = field(default_factory=dict)
    equal: dict[str, list[str]] = field(default_factory=dict)

    @property
    def limit(self) -> int:
        """How many rows. Raises Refused."""
        return number_of("limit", self.options.get("limit", str(LIMIT)), MOST_ROWS)

    @property
    def suffix(self) -> str:
        """That of the relation's function for the moment; empty: now. Raises Refused."""
        names = [name for name in ("as_of", "as_of_offset") if name in self.options]
        if len(names) > 1:
            raise Refused('"as_of" and "as_of_offset" cannot be used together.')
        if names and "job" not in self.options:
            raise Refused('"as_of" and "as_of_offset" need the parameter "job".')
        return f"_{names[0]}" if names else ""

    @property
    def after(self) -> list[Any] | None:
        """The key of the last row of the page before this one. Raises Refused."""
        if "after" not in self.options:
            return None
        try:
            key = loads(self.options["after"])
        except (JSONDecodeError, RecursionError):
            key = None
        if not isinstance(key, list) or not all(map(_is_value, key)):
            raise Refused('Invalid value of "after": expected the one of the link "next" in the previous answer.')
        return key


def api_routes() -> list[BaseRoute]:
    return [Route("/api", relations), Route("/api/{relation}", shared(relation))]


def relations(request: Request) -> Response:
    """Every relation, with its address and the types of its columns."""
    listed = [
        {
            "relation": name,
            "href": f"{request.app.state.base_path}/api/{name}",
            "columns": {column.name: _sql_type(table, column.name) for column in table.c},
        }
        for name, table in sorted(RELATIONS.items())
    ]
    return JSONResponse({"relations": listed})


def relation(request: Request) -> Response:
    name = request.path_params["relation"]
    given = request.query_params.multi_items()
    query = parse_query(name, given)
    with snapshot(request) as connection:
        job = find_job(connection, query.options["job"]) if "job" in query.options else None
        rows, last_key = read_rows(connection, query, job)
    following = None
    if last_key is not None:
        kept = [(word, value) for word, value in given if word != "after"]
        asked = urlencode([*kept, ("after", dumps(last_key, ensure_ascii=False))])
        following = f"{request.app.state.base_path}/api/{name}?{asked}"
    return JSONResponse({"relation": name, "rows": rows, "next": following})


def parse_query(name: str, given: Iterable[tuple[str, str]]) -> Query:
    """What the parameters of a request ask for; each column may occur several times.

    Raises `Refused`: there is no such relation, or a parameter is unknown or occurs twice.
    """
    if name not in RELATIONS:
        raise Refused(f'No relation "{printable_text(name)}".{known_names("relations", name, sorted(RELATIONS))}', 404)
    query = Query(RELATIONS[name])
    for word, value in given:
        if word in query.relation.c:
            query.equal.setdefault(word, []).append(value)
        elif word in query.options:
            raise Refused(f'Parameter "{word}" was given twice.')
        elif word in _OPTIONS:
            query.options[word] = value
        else:
            known = known_names("parameters", word, [*_OPTIONS, *(column.name for column in query.relation.c)])
            raise Refused(f'Relation "{name}" has no column "{printable_text(word)}".{known}')
    return query


def read_rows(connection: Connection, asked: Query, job: Job | None) -> tuple[list[Row], list[Any] | None]:
    """The rows that are asked for, and the key of the last one if there are more. Raises Refused."""
    key, limit = _key_columns(connection, asked.relation), asked.limit
    conditions, values = _conditions(asked, job, key)
    source = _source(connection, asked)
    order = sql.SQL(", ").join(sql.SQL("h.{}").format(sql.Identifier(name)) for name in key)
    is_in_ranges = key[2:5] == PROVENANCE and asked.relation.name not in _IN_ONE_QUERY
    rows: list[Row] = []
    for within in _ranges(connection, job, asked.after) if job is not None and is_in_ranges else [None]:
        also = [] if within is None else [_WITHIN]
        query = _SELECT.format(source=source, conditions=sql.SQL(" and ").join([*conditions, *also]), order=order)
        few = {"limit": limit + 1 - len(rows)}
        rows += fetch(connection, query, values | few | ({} if within is None else within._asdict()))
        if len(rows) > limit:
            break
    shown = rows[:limit]
    return shown, [shown[-1][name] for name in key] if len(rows) > len(shown) else None


def _key_columns(connection: Connection, table: TableClause) -> tuple[str, ...]:
    """The columns that identify a row, as the comment of the relation names them."""
    found = connection.execute(_COMMENT, (f"coordinator.{table.name}",)).fetchone()
    return tuple(str(found[0]).rpartition("Key: ")[2].rstrip(".").split(", ")) if found else _JOB


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


def _source(connection: Connection, asked: Query) -> sql.Composed:
    name = f"{asked.relation.name}{asked.suffix}"
    if asked.suffix and connection.execute(_HAS_FUNCTION, (name,)).fetchone() != (True,):
        raise Refused(f'Relation "{asked.relation.name}" has no parameter "{asked.suffix[1:]}".')
    return _SOURCES[asked.suffix].format(sql.Identifier(name))


def _conditions(asked: Query, job: Job | None, key: tuple[str, ...]) -> tuple[list[sql.Composable], Row]:
    table, options = asked.relation, asked.options
    times: Row = {name: time_of(name, options[name]) for name in ("since", "until", "as_of") if name in options}
    values: Row = {**times, "as_of_offset": options.get("as_of_offset")}
    conditions: list[sql.Composable] = [sql.SQL("true")]
    if job is not None:
        conditions.append(sql.SQL("h.job_name = %(name)s and h.job_id = %(id)s"))
        values |= {"name": job.name, "id": job.id}
    for column, accepted in asked.equal.items():
        is_one = len(accepted) == 1
        test = sql.SQL("h.{} = {}::{}" if is_one else "h.{} = any({}::{}[])")
        value = sql.Placeholder(f"equal_{column}")
        conditions.append(test.format(sql.Identifier(column), value, sql.SQL(_sql_type(table, column))))
        values[f"equal_{column}"] = accepted[0] if is_one else accepted
    for name, test in (("since", sql.SQL("h.{} >= {}")), ("until", sql.SQL("h.{} <= {}"))):
        if name in times:
            conditions.append(test.format(sql.Identifier(_time_column(table)), sql.Placeholder(name)))
    if asked.after is not None:
        conditions.append(_behind(table, key, asked.after, values))
    return conditions, values


def _time_column(table: TableClause) -> str:
    found = next((name for name in _TIME_COLUMNS if name in table.c), None)
    if found is None:
        raise Refused(f'Relation "{table.name}" has no time that "since" and "until" could compare with.')
    return found


def _behind(table: TableClause, key: tuple[str, ...], after: list[Any], values: Row) -> sql.Composable:
    """Rows behind a key, in an order in which null comes last."""
    if len(after) != len(key):
        raise _bad_key()
    ways: list[sql.Composable] = []
    same: list[sql.Composable] = []
    for name, value in zip(key, after, strict=True):
        column = sql.SQL("h.{}").format(sql.Identifier(name))
        given = sql.SQL("{}::{}").format(sql.Placeholder(f"after_{name}"), sql.SQL(_sql_type(table, name)))
        values[f"after_{name}"] = None if value is None else str(value)
        behind = sql.SQL("({c} > {v} or {c} is null and {v} is not null)").format(c=column, v=given)
        ways.append(sql.SQL("({})").format(sql.SQL(" and ").join([*same, behind])))
        same.append(sql.SQL("{} is not distinct from {}").format(column, given))
    first = sql.SQL("h.job_name >= {}").format(sql.Placeholder("after_job_name"))
    return sql.SQL("{} and ({})").format(first, sql.SQL(" or ").join(ways))


def _bad_key() -> Refused:
    return Refused('Invalid value of "after": it belongs to another relation.')


def _is_value(part: object) -> bool:
    return part is None or isinstance(part, int) or (isinstance(part, str) and is_utf8(part))


def _sql_type(table: TableClause, column: str) -> str:
    kind = str(table.c[column].type).lower()
    return "timestamptz" if kind == "datetime" else kind
