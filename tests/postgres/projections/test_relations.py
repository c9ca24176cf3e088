"""The columns and comments of the relations, how the as-of functions are declared, and the order of the SQL files."""

import re
from itertools import product
from typing import Final

import pytest

from projections.relations import creation_order, definitions
from tests.fixtures.postgres import Connection

JDBC_SAFE: Final = {"text", "bigint", "integer", "boolean", "timestamp with time zone"}
PROVENANCE: Final = (
    *("record_time", "message_time", "source", "host", "username"),
    *("stream_kind", "incarnation", "log_offset"),
)
HISTORIES: Final = {
    "config_history": "config",
    "checkpoint_history": "checkpoint",
    "state_checkpoint_history": "state_checkpoint",
    "changelog_mapping_history": "changelog_mapping",
    "container_host_history": "container_host",
    "container_execution_history": "container_execution",
    "task_container_history": "task_container",
    "task_mode_history": "task_mode",
    "task_partition_history": "task_partition",
    "job_coordinator_metadata_history": "job_coordinator_metadata",
}
"""Each history and the relation that its events lead to."""
WITHOUT_PROVENANCE: Final = {
    *(
        "job",
        "starting_offset",
        "log_position",
        "log_gap",
        "config_deployment",
        "input_bound",
        "task_lag",
        "spark_read",
    ),
    *("config_validity", "container_host_validity", "task_container_validity", "task_partition_validity"),
}
COLUMNS: Final = """
select c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
where n.nspname = 'coordinator' and c.relkind = 'v' and a.attnum > 0
order by c.relname, a.attnum
"""
UNCOMMENTED: Final = """
select relname, attname from pg_class c join pg_attribute a on attrelid = c.oid
where relnamespace = 'coordinator'::regnamespace and attnum > 0 and col_description(c.oid, attnum) is null
union all
select relname, null from pg_class
where relnamespace = 'coordinator'::regnamespace and obj_description(oid, 'pg_class') is null
union all
select proname, '()' from pg_proc
where pronamespace = 'coordinator'::regnamespace and obj_description(oid, 'pg_proc') is null
"""
FUNCTIONS: Final = """
select p.proname, p.provolatile, p.proparallel, l.lanname, p.pronargs, obj_description(p.oid)
from pg_proc p join pg_language l on l.oid = p.prolang
where p.pronamespace = 'coordinator'::regnamespace and p.proname like '%as\\_of%'
"""


def columns_by_relation(connection: Connection) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for relation, column, kind in connection.execute(COLUMNS):
        found.setdefault(relation, []).append((column, kind))
    return found


def test_every_column_can_be_read_over_jdbc(connection: Connection) -> None:
    found = columns_by_relation(connection)
    assert len(found) >= 20
    kinds = {f"{name}.{column}": kind for name, columns in found.items() for column, kind in columns}
    assert {name: kind for name, kind in kinds.items() if kind not in JDBC_SAFE} == {}


def test_every_relation_starts_with_the_job_and_ends_with_the_provenance(connection: Connection) -> None:
    for relation, columns in columns_by_relation(connection).items():
        names = tuple(name for name, _ in columns)
        assert names[:3] == ("job_name", "job_id", "job_bucket"), relation
        if relation not in WITHOUT_PROVENANCE:
            assert names[-8:] == PROVENANCE, relation


def test_a_history_has_the_columns_of_its_relation_and_the_operation(connection: Connection) -> None:
    found = columns_by_relation(connection)
    for history, relation in HISTORIES.items():
        own = [column for column in found[relation] if column[0] not in PROVENANCE]
        assert [column for column in found[history] if column in own] == own, history
        assert ("operation", "text") in found[history], history


def test_no_column_is_a_reserved_word(connection: Connection) -> None:
    reserved = {row[0] for row in connection.execute("select word from pg_get_keywords() where catcode in ('R', 'T')")}
    named = {column for columns in columns_by_relation(connection).values() for column, _ in columns}
    assert named & reserved == set()


def test_everything_has_a_comment(connection: Connection) -> None:
    assert connection.execute(UNCOMMENTED).fetchall() == []


OF_ONE_LOG: Final = (
    *("config", "changelog_mapping", "container_host", "container_execution", "task_container", "task_mode"),
    *("task_partition", "startpoint", "startpoint_fan_out", "job_coordinator_metadata"),
)
"""Relations that come from the coordinator stream alone."""


def test_as_of_functions_can_be_inlined_and_run_in_parallel(connection: Connection) -> None:
    functions = connection.execute(FUNCTIONS).fetchall()
    assert {name for name, *_ in functions} >= {
        f"{relation}_{by}"
        for relation in ("checkpoint", "state_checkpoint", *OF_ONE_LOG)
        for by in ("as_of", "as_of_offset")
    } | {"starting_offset_as_of"}
    for name, volatile, parallel, language, arguments, comment in functions:
        assert (volatile, parallel, language) == ("s", "s", "sql"), name
        assert arguments == (5 if name.endswith("_as_of_offset") else 3)
        assert comment


TIMES: Final = ("'2025-01-01'", "now()", "'infinity'", "'-infinity'", "null")
OFFSETS: Final = ("0", "-1", "9223372036854775807", "7, 'checkpoint'", "7, null, 3", "null")


@pytest.mark.parametrize(("by", "arguments"), [*product(["_as_of"], TIMES), *product(["_as_of_offset"], OFFSETS)])
def test_as_of_any_time_or_offset_an_unknown_job_is_empty(connection: Connection, by: str, arguments: str) -> None:
    for name, *_ in connection.execute(FUNCTIONS).fetchall():
        if name.endswith(by):
            query = f"select * from coordinator.{name}('no', 'job', {arguments})"
            assert connection.execute(query.encode()).fetchall() == []


def test_a_relation_is_in_the_file_of_its_name() -> None:
    """Or, like its history, in that of the relation whose name it extends."""
    for path, sql in definitions().items():
        name = path.rpartition("/")[2]
        for relation in re.findall(r"^create view coordinator\.(\w+)", sql, re.MULTILINE):
            assert f"{relation}_".startswith(f"{name}_"), path


def test_comments_and_texts_are_not_uses() -> None:
    sql = "-- See projection.c, the reader's.\ncreate view projection.a as select 'projection.''b -- no' as x;\n"
    assert creation_order({"a": sql}) == ["a"]


def test_a_file_comes_after_those_that_create_what_it_uses_or_that_it_declares() -> None:
    files = {
        "all": "-- Needs: *\ncomment ...",
        "one/a": "create view projection.a as select * from projection.b;",
        "two/b": "create function projection.b() returns integer language sql as $$ select 1 $$;",
    }
    assert creation_order(files) == ["two/b", "one/a", "all"]
