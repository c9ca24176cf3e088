"""Each role can do what it is for and nothing else: found out by trying, on everything that the catalogue lists."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import psycopg
import pytest
from psycopg import sql

from coordstream.postgres import EmbeddedPostgres
from eventlog.events import NewEvent
from eventlog.log import AppendRefused
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.table_partitions import PARTITION_OFFSETS
from eventlog.source import CredentialsRefused
from eventlog.streams import coordinator_stream_name, identify
from tests.fixtures.database_users import database_user
from tests.fixtures.postgres import CloneSeries
from tests.fixtures.properties.generated_jobs import generate_job
from tests.fixtures.properties.importing import import_log

pytestmark = pytest.mark.slow

Schema = Literal["eventlog", "projection", "coordinator"]
STREAM: Final = identify(coordinator_stream_name("appended"))
APPEND: Final = "append"

_OBJECTS: Final = """
select n.nspname, c.relname,
       (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and a.attidentity = '' limit 1),
       c.relkind = 'v'
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection', 'coordinator') and c.relkind in ('r', 'p', 'v') order by 1, 2
"""
_FUNCTIONS: Final = """
select n.nspname, p.proname, p.prorettype = 'trigger'::regtype, n.nspname = 'projection' and p.provolatile = 'v',
       array(select format('null::%s', format_type(t, null)) from unnest(p.proargtypes) as t),
       coalesce(p.proargnames[1:p.pronargs], '{}')
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('eventlog', 'projection', 'coordinator') order by 1, 2
"""
_RIGHTS: Final = """
select 'relation', oid, relacl::text from pg_class union all select 'function', oid, proacl::text from pg_proc
union all select 'schema', oid, nspacl::text from pg_namespace order by 1, 2
"""
DENIED: Final = "42501"


class Table(NamedTuple):
    """A table or view, and a column that could be written."""

    schema: Schema
    name: str
    column: str
    is_view: bool

    @property
    def identifier(self) -> sql.Identifier:
        """As a statement names it."""
        return sql.Identifier(self.schema, self.name)


class Function(NamedTuple):
    """A function, and what calls it with nulls."""

    schema: Schema
    name: str
    is_trigger: bool
    is_projectors: bool
    nulls: list[str]
    parameters: list[str]


@dataclass(frozen=True)
class Person:
    """A user with one of the roles, or none, and what that lets it read and call."""

    role: str
    reads: frozenset[Schema]
    calls: frozenset[Schema]
    appends: bool

    def may_call(self, function: Function) -> bool:
        """Whether the role is for this function."""
        reads = function.schema in self.calls and not function.is_projectors
        return reads or (self.appends and (function.schema, function.name) == ("eventlog", APPEND))


RELATIONS: Final[frozenset[Schema]] = frozenset({"projection", "coordinator"})
PEOPLE: Final = (
    Person("coordstream_reader", RELATIONS, RELATIONS, appends=False),
    Person("coordstream_replayer", RELATIONS | {"eventlog"}, RELATIONS, appends=False),
    Person("coordstream_writer", frozenset({"eventlog"}), frozenset(), appends=True),
    Person("", frozenset(), frozenset(), appends=False),
)
each_person = pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.role or "nobody")


@pytest.fixture(scope="module")
def url(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """A database with generated jobs of all kinds, and one log that Postgres keeps."""
    with CloneSeries(postgres_server, template_database) as series:
        database_url = series.next_url()
        with connect(database_url) as owner:
            for number in range(8):
                for log in generate_job(number).logs:
                    import_log(owner, log)
            PostgresEventLog.create(owner, STREAM)
        yield database_url


@pytest.fixture(scope="module")
def owner(url: str) -> Iterator[Connection]:
    with connect(url) as connection:
        yield connection


@pytest.fixture(scope="module")
def urls(url: str) -> Iterator[dict[str, str]]:
    """Where each of the people logs in."""
    with ExitStack() as stack:
        yield {person.role: stack.enter_context(database_user(url, *filter(None, [person.role]))) for person in PEOPLE}


@pytest.fixture
def session(urls: dict[str, str], person: Person) -> Iterator[Connection]:
    """The person, logged in."""
    with connect(urls[person.role]) as connection:
        yield connection


def tables(owner: Connection) -> list[Table]:
    found = [Table(*row) for row in owner.execute(_OBJECTS).fetchall()]
    assert {table.schema for table in found} == {"eventlog", "projection", "coordinator"}
    assert (
        Table("eventlog", "event_from_0", "log_offset", is_view=False) in found
    )  # a partition can be asked by its own name
    return found


def functions(owner: Connection) -> list[Function]:
    found = [Function(*row) for row in owner.execute(_FUNCTIONS).fetchall()]
    assert {function.schema for function in found} == {"eventlog", "projection", "coordinator"}
    return found


def failure(connection: Connection, statement: sql.Composed | str) -> str | None:
    """The SQLSTATE that a statement fails with; None: it is let through (and undone)."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement.encode() if isinstance(statement, str) else statement)
    except psycopg.Error as error:
        return error.sqlstate
    return None


def writes(table: Table) -> dict[str, sql.Composed]:
    """Every way to change a table."""
    column = sql.Identifier(table.column)
    statements = {
        "insert": "insert into {table} default values",
        "update": "update {table} set {column} = {column}",
        "delete": "delete from {table}",
        "truncate": "truncate {table}",
        "lock": "lock table {table} in exclusive mode",
        "merge": "merge into {table} using (values (1)) as v on false when not matched then do nothing "
        "when matched then delete",
        "copy": "copy {table} from program 'true'",
        "trigger": "create trigger mine before insert on {table} for each row execute function suppress_redundant()",
        "reference": "create temp table mine (c text references {table})",
        "alter": "alter table {table} add column mine integer",
        "drop": "drop table {table}",
        "comment": "comment on column {table}.{column} is 'mine'",
        "rule": "create rule mine as on insert to {table} do instead nothing",
        "inherit": "create temp table mine () inherits ({table})",
    }
    return {verb: sql.SQL(text).format(table=table.identifier, column=column) for verb, text in statements.items()}


@each_person
def test_who_reads_what(owner: Connection, session: Connection, person: Person) -> None:
    for table in tables(owner):
        refused = failure(session, sql.SQL("select * from {}").format(table.identifier))
        assert refused == (None if table.schema in person.reads else DENIED), f"{table}"


@each_person
def test_no_role_changes_a_table(owner: Connection, session: Connection, person: Person) -> None:
    for table in tables(owner):
        for verb, statement in writes(table).items():
            refused = failure(session, statement)
            assert refused is not None, f"{verb} of {table} is let through"
            if verb in {"insert", "update", "delete", "truncate"} and not table.is_view:
                assert refused == DENIED, f"{verb} of {table}: {refused}"


@each_person
def test_no_role_can_grant_rights(owner: Connection, session: Connection, person: Person) -> None:
    """Postgres warns if a user has a right but may not grant it."""
    before = owner.execute(_RIGHTS).fetchall()
    granted = [(f"all on {table.schema}.{table.name}") for table in tables(owner)]
    granted += [f"all on schema {schema}" for schema in ("eventlog", "projection", "coordinator")]
    granted += [f"all on function {f.schema}.{f.name}" for f in functions(owner)]
    for right in granted:
        with suppress(psycopg.errors.InsufficientPrivilege):
            session.execute(f"grant {right} to public".encode())
    assert owner.execute(_RIGHTS).fetchall() == before


@each_person
def test_who_calls_what(owner: Connection, session: Connection, person: Person) -> None:
    for function in functions(owner):
        call = f"select * from {function.schema}.{function.name}({', '.join(function.nulls)})"
        refused = failure(session, call)
        if not person.may_call(function):
            assert refused == DENIED or (function.is_trigger and refused), f"{function}"
        else:
            assert refused != DENIED, f"{function}"


NOT_FOR_THEM: Final = (
    "create table {schema}.mine ()",
    "create view {schema}.mine as select 1",
    "create function {schema}.mine() returns integer language sql as 'select 1'",
    "create type {schema}.mine as (a integer)",
    "drop schema {schema} cascade",
    "alter schema {schema} rename to mine",
    "alter schema {schema} owner to current_user",
    "comment on schema {schema} is 'mine'",
    "alter default privileges for role coordstream in schema {schema} grant all on tables to public",
)
NOT_FOR_ANYBODY: Final = (
    "create schema mine",
    "create table public.mine ()",
    "create role mine",
    "alter role current_user superuser",
    "alter role current_user createrole",
    "set role coordstream",
    "set session authorization coordstream",
    "grant coordstream_reader to coordstream_writer",
    "set session_replication_role = replica",
    "set log_statement = 'none'",
    "set log_parameter_max_length = -1",
    "alter table eventlog.event disable trigger all",
    "drop function eventlog.append",
    "alter function eventlog.append security invoker",
    "create or replace function eventlog.refuse() returns trigger language plpgsql as 'begin return new; end'",
    "select pg_read_file('/etc/passwd')",
    "copy (select 1) to program 'true'",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'coordstream'",
    "select rolpassword from pg_authid",
    "create event trigger mine on ddl_command_end execute function eventlog.refuse()",
)


@each_person
def test_no_role_creates_or_changes_other_objects(session: Connection, person: Person) -> None:
    statements = [
        text.format(schema=schema) for text in NOT_FOR_THEM for schema in ("eventlog", "projection", "coordinator")
    ]
    for statement in (*statements, *NOT_FOR_ANYBODY):
        assert failure(session, statement) == DENIED, statement


@each_person
def test_only_a_writer_appends(urls: dict[str, str], owner: Connection, person: Person) -> None:
    owner.execute(
        "update eventlog.log_head set next_offset = next_offset + %s", (PARTITION_OFFSETS,)
    )  # a new partition
    before = owner.execute("select count(*) from eventlog.event").fetchone()
    if "eventlog" not in person.reads:
        with pytest.raises(CredentialsRefused, match=r"permission denied for schema eventlog\. Connect as"):
            PostgresEventLog(urls[person.role], STREAM.stream_name)
        return
    with PostgresEventLog(urls[person.role], STREAM.stream_name) as log:
        event = NewEvent(b"k", b"v", None, (("h", b"x"),))
        if not person.appends:
            with pytest.raises(AppendRefused, match=r"permission denied .*\. Connect as"):
                log.append([event])
            assert owner.execute("select count(*) from eventlog.event").fetchone() == before
            return
        assert log.append([event] * 2, expected_offset=log.end_offset())
        with pytest.raises(AppendRefused, match="Only the owner of the event log may set appended_at"):
            PostgresEventLog(log._connection, STREAM.stream_name, clock=lambda: _future(owner)).append([event])
        assert [event.value for event in log.read(log.end_offset() - 2)] == [b"v", b"v"]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            PostgresEventLog.create(log._connection, identify(coordinator_stream_name("another")))


def _future(owner: Connection) -> Any:
    row = owner.execute("select now() + interval '1 year'").fetchone()
    assert row is not None
    return row[0]


def test_only_what_appends_runs_with_its_owners_rights(owner: Connection) -> None:
    definer = owner.execute(
        "select p.oid::regproc::text, p.proconfig from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where p.prosecdef and n.nspname in ('eventlog', 'projection', 'coordinator')"
        " order by 1"
    ).fetchall()
    path = ["search_path=pg_catalog, pg_temp"]
    assert definer == [("coordinator.leave_receipt", path), ("eventlog.append", path)]


def test_no_relation_has_a_column_of_bytes(owner: Connection) -> None:
    """But for the digests by which the archive and the dictionary of keys are joined."""
    found = owner.execute(
        "select format('%s.%s.%s', table_schema, table_name, column_name) from information_schema.columns"
        " where table_schema in ('projection', 'coordinator') and data_type = 'bytea' order by 1"
    ).fetchall()
    assert found == [("projection.archived_event.key_sha256",), ("projection.event_key.key_sha256",)]
