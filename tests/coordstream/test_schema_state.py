"""The state of a database's schema."""

from pathlib import Path

import psycopg
import pytest

from coordstream.database import SchemaState, migrations_folder, schema_state
from coordstream.errors import CoordstreamError
from eventlog.postgres.connection import connect
from eventlog.postgres.tables import metadata as eventlog_metadata
from projections.relation_files import tables
from projections.tables import metadata as projection_metadata


def test_the_tables_are_those_of_the_metadata() -> None:
    defined = [*eventlog_metadata.sorted_tables, *projection_metadata.sorted_tables]
    assert sorted(tables()) == sorted(table.fullname for table in defined)


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("select", SchemaState.CURRENT),
        ("delete from eventlog.alembic_version", SchemaState.EMPTY),
        ("drop table eventlog.alembic_version", SchemaState.EMPTY),
        ("comment on schema coordinator is null", SchemaState.OLDER),
        ("drop view coordinator.job", SchemaState.OLDER),
        ("drop schema coordinator cascade", SchemaState.OLDER),
        ("drop table projection.log_time cascade", SchemaState.INCOMPLETE),
    ],
)
def test_a_schema_is_compared_with_that_of_the_program(database_url: str, change: str, state: SchemaState) -> None:
    with connect(database_url) as connection:
        connection.execute(change.encode())
        assert schema_state(connection) is state


def test_for_a_reader_only_the_relations_are_compared(database_url: str) -> None:
    with connect(database_url) as connection, connection.transaction():
        connection.execute("set local role coordstream_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("select from eventlog.alembic_version")
        assert schema_state(connection) is SchemaState.CURRENT
        connection.execute("reset role; comment on schema coordinator is null; set local role coordstream_reader")
        assert schema_state(connection) is SchemaState.OTHER


def test_a_broken_installation_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CoordstreamError, match=r"^No migrations in .* or beside it\. Reinstall coordstream\.$"):
        migrations_folder(tmp_path)
