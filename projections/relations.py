"""The names of the tables, and the SQL views and functions of the folder ``sql/``: creates them again, and a projection
that was dropped.

Views and functions hold no data. A migration drops and re-creates all of them in its transaction when their text in
this program differs from the text that created those in the database. ``eventlog.relation_object`` has their names:
what else is in the schemas belongs to a user, and is left alone. Every command computes the digest of the text.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from psycopg.errors import DependentObjectsStillExist

from eventlog.postgres.connection import Connection
from projections.errors import ProjectionError

_MISSING: Final = """
select unnest(%s::text[]) except
select n.nspname || '.' || c.name from pg_namespace n
join (select relnamespace, relname from pg_class union all select pronamespace, proname from pg_proc) c (schema, name)
  on c.schema = n.oid and n.nspname in ('eventlog', 'projection', 'coordinator')
order by 1
"""
"""Selects those of the given objects (``schema.name``) that the database lacks, whoever may read them."""

FOLDED_TABLES: Final = {
    "checkpoint_envelope": ("log_offset",),
    "checkpoint_event": ("key_id", "log_offset"),
    "checkpoint_layout": ("layout_id",),
    "event_key": ("key_id",),
    "gap": ("first_offset",),
    "log_time": ("log_offset",),
    "message_event": ("key_id", "log_offset"),
    "quarantine": ("log_offset",),
    "startpoint_reading": ("key_id", "n"),
    "suspect_checkpoint": ("log_offset", "key_id"),
}
"""The tables of ``projection`` whose rows are folded from a log's events, and their primary keys without ``log_id``."""

CURRENT_TABLES: Final = {
    "changelog_mapping": ("key_id",),
    "checkpoint": ("key_id", "n"),
    "config": ("key_id",),
    "container_execution": ("key_id",),
    "container_host": ("key_id",),
    "job_coordinator_metadata": ("key_id",),
    "other_message": ("key_id",),
    "pending_startpoint": ("key_id",),
    "startpoint_fan_out": ("key_id", "n"),
    "state_checkpoint": ("key_id", "n"),
    "task_container": ("key_id",),
    "task_mode": ("key_id",),
    "task_partition": ("key_id", "n"),
}
"""The tables of current rows, and their primary keys likewise: the rows of a log are those of
``projection.<table>_now``, see `projections/sql/write/current.sql`.
"""

LOG_TABLES: Final = FOLDED_TABLES | CURRENT_TABLES
"""All tables with rows of single logs."""

_ARCHIVE: Final = (
    "log log_head event observation held_name relation_object horizon retired_stream input_bound spark_read"
)
_STATES: Final = "job_log position refused_stream stream_holder"
TABLES: Final = [
    *(f"eventlog.{name}" for name in _ARCHIVE.split()),
    *(f"projection.{name}" for name in (*_STATES.split(), *LOG_TABLES)),
]
"""The tables that the revisions create, with their schema."""
_NEEDS_ALL: Final = "-- Needs: *\n"
_COMMENT_OR_TEXT: Final = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_CREATED: Final = re.compile(r"^create (?:view|function) (\w+\.\w+)", re.MULTILINE)
_USED: Final = re.compile(r"\b(?:projection|coordinator)\.\w+")
_OBJECTS: Final = """
select format('%s %s', o.type, o.identity)
from (select 'pg_class'::regclass, oid, relnamespace from pg_class where relkind = 'v'
      union all select 'pg_proc'::regclass, oid, pronamespace from pg_proc) c (classid, objid, namespace)
cross join pg_identify_object(c.classid, c.objid, 0) o
where c.namespace in (to_regnamespace('eventlog'), to_regnamespace('projection'), to_regnamespace('coordinator'))
"""
_TABLES: Final = """
select format('table %%s', o.identity)
from unnest(%(names)s::text[]) n (name)
cross join pg_identify_object('pg_class'::regclass, to_regclass(n.name), 0) o where to_regclass(n.name) is not null
"""
_COMMENT: Final = "select obj_description(to_regnamespace('coordinator'), 'pg_namespace')"
_HAS_RECORD: Final = "select to_regclass('eventlog.relation_object') is not null"
_RECORDED: Final = "select object from eventlog.relation_object"
_RECORD: Final = """
with forgotten as (delete from eventlog.relation_object where object <> all(%(objects)s))
insert into eventlog.relation_object select unnest(%(objects)s::text[]) on conflict do nothing
"""
_USERS_OBJECTS: Final = """
with ours as (
  select c.classid, c.objid, c.typeid
  from (select 'pg_class'::regclass, oid, reltype from pg_class
        union all select 'pg_proc'::regclass, oid, 0 from pg_proc) c (classid, objid, typeid)
  cross join pg_identify_object(c.classid, c.objid, 0) o
  where format('%%s %%s', o.type, o.identity) = any(%(objects)s)
), used as (
  select classid, objid from ours
  union all select 'pg_type'::regclass, t.oid from pg_type t join ours on ours.typeid in (t.oid, nullif(t.typelem, 0))
)
select distinct format('%%s %%s', o.type, o.identity)
from used u
join pg_depend d on (d.refclassid, d.refobjid) = (u.classid, u.objid) and d.deptype = 'n'
left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
cross join lateral (select case when r.oid is null then d.classid else 'pg_class'::regclass end,
                           coalesce(r.ev_class, d.objid)) t (classid, objid)
cross join pg_identify_object(t.classid, t.objid, 0) o
where not exists (select from ours where (ours.classid, ours.objid) = (t.classid, t.objid))
order by 1
"""


class SchemaDamaged(ProjectionError):
    """A table of the archive is missing, or an object of a user prevents that relations are re-created."""


@cache
def definitions() -> dict[str, str]:
    """The SQL of every file in ``projections/sql`` by its path there without ``.sql``, sorted by path. The example
    queries of a relation, ``<relation>.queries.sql``, are for its documentation and left out.
    """
    return dict(sorted(_sql_files(files("projections") / "sql", "")))


def _sql_files(folder: Traversable, parent: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _sql_files(entry, f"{parent}{entry.name}/")
        elif entry.name.endswith(".sql") and not entry.name.endswith(".queries.sql"):
            yield parent + entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8")


@cache
def digest() -> str:
    """16 hexadecimal digits that are the same for the same files with the same text."""
    lines = "\0".join(f"{path}\0{sql}" for path, sql in definitions().items())
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


@cache
def _created() -> list[str]:
    return [name for sql in definitions().values() for name in _CREATED.findall(sql)]


def installed_digest(connection: Connection) -> str | None:
    """The digest of the definitions in the database; None if there are none or a view or function is missing."""
    if missing_relations(connection, _created()):
        return None
    (comment,) = connection.execute(_COMMENT).fetchone() or (None,)
    return None if comment is None else str(comment).rpartition(" ")[2]


def missing_relations(connection: Connection, names: Sequence[str]) -> list[str]:
    """The objects (``schema.name``) of this list that do not exist, whether the user may read them or not."""
    return _column(connection, _MISSING, (list(names),))


def _column(connection: Connection, query: str, values: Mapping[str, Any] | Sequence[Any] | None = None) -> list[str]:
    """The only column of a query's rows."""
    return [name for (name,) in connection.execute(query.encode(), values).fetchall()]


def create_relations(connection: Connection) -> None:
    """Create all views and functions. The bodies of functions are not checked: a file may come before those that it
    calls.
    """
    others = _objects(connection)
    connection.execute("set local check_function_bodies = off")
    for path in creation_order(definitions()):
        connection.execute(definitions()[path].encode())
    connection.execute(_RECORD, {"objects": sorted(_objects(connection) - others)})
    connection.execute(f"comment on schema coordinator is 'The readers'' contract; relations {digest()}'".encode())


def creation_order(definitions: Mapping[str, str]) -> list[str]:
    """The paths of the files in the order to run them; always the same for the same definitions.

    What a file uses is read from its text. One that concerns what others create without naming it declares that in its
    first line, ``-- Needs: *``: it comes after every file without such a line.
    """
    creators = {name: path for path, sql in definitions.items() for name in _CREATED.findall(sql)}
    needs = {path: sorted(_needed_files(path, definitions, creators)) for path in sorted(definitions)}
    return list(TopologicalSorter(needs).static_order())


def _needed_files(path: str, definitions: Mapping[str, str], creators: Mapping[str, str]) -> set[str]:
    needed = {creators.get(name, path) for name in _USED.findall(_COMMENT_OR_TEXT.sub("", definitions[path]))}
    if definitions[path].startswith(_NEEDS_ALL):
        needed |= {other for other, sql in definitions.items() if not sql.startswith(_NEEDS_ALL)}
    return needed - {path}


def drop_relations(connection: Connection) -> None:
    """Drop the views and functions that a migration created; if a user's object depends on one, raise SchemaDamaged."""
    if connection.execute(_HAS_RECORD).fetchone() == (True,):
        _drop(connection, _objects(connection) & set(_column(connection, _RECORDED)))


def _objects(connection: Connection) -> set[str]:
    """The views and functions in the three schemas, each with its kind: those that a migration created, and others."""
    return set(_column(connection, _OBJECTS))


def _drop(connection: Connection, objects: Iterable[str]) -> None:
    """Drop objects (``kind name``), which may depend on each other."""
    remaining = sorted(objects)
    while remaining:
        failed = [name for name in remaining if not _is_dropped(connection, name)]
        if len(failed) == len(remaining):
            others = _column(connection, _USERS_OBJECTS, {"objects": failed})
            raise SchemaDamaged(
                f"Cannot re-create the {failed[0]}: your objects depend on it ({', '.join(others)}). "
                "Drop them, run `coordstream db migrate`, and create them again."
            )
        remaining = failed


def is_projection_missing(connection: Connection, *, is_migrated: bool) -> bool:
    """Whether the projection or a table of it was dropped. Raises SchemaDamaged if the archive or a table of it was, as
    where a database that is not migrated, and has no revision, has tables.
    """
    missing = missing_relations(connection, TABLES)
    lost = [name for name in missing if name.startswith("eventlog.")]
    if not is_migrated:
        lost = ["eventlog.alembic_version"] if len(missing) < len(TABLES) else []
    if lost:
        raise SchemaDamaged(
            f"The table {lost[0]} is missing. Restore the schema eventlog from a backup; or drop the schemas eventlog, "
            "projection and coordinator, run `coordstream db migrate`, and import or follow the streams again."
        )
    return is_migrated and bool(missing)


def recreate_projection(connection: Connection, upgrades: Iterable[Callable[[], None]]) -> None:
    """Drop the rest of the projection's tables, and run the revisions, oldest first, in the caller's transaction.

    The revisions also create an archive, which is dropped; the existing archive has another name meanwhile. Raises
    SchemaDamaged if a user's object depends on the projection; the caller must roll back.
    """
    drop_relations(connection)
    names = [name for name in TABLES if name.startswith("projection.")]
    _drop(connection, _column(connection, _TABLES, {"names": names}))
    connection.execute("alter schema eventlog rename to eventlog_kept")
    connection.execute("create schema eventlog")
    for upgrade in upgrades:
        upgrade()
    connection.execute("drop schema eventlog cascade")
    connection.execute("alter schema eventlog_kept rename to eventlog")


def _is_dropped(connection: Connection, name: str) -> bool:
    """Drop an object (``kind name``), unless another one depends on it."""
    try:
        with connection.transaction():  # releases its savepoint, in which later rows would otherwise be of another xmin
            connection.execute(f"drop {name}".encode())
    except DependentObjectsStillExist:
        return False
    return True
