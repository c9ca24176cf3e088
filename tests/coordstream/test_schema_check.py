"""The quick check of a schema says yes only if the full one does."""

from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from coordstream.errors import CoordstreamError
from coordstream.schema_check import head_revision, is_current, migrations_folder
from eventlog.postgres.connection import connect
from eventlog.postgres.tables import metadata as eventlog_metadata
from projections.relation_files import tables
from projections.tables import metadata as projection_metadata


def test_the_newest_revision_is_that_of_alembic() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    assert head_revision() == ScriptDirectory.from_config(config).get_current_head()


def test_the_tables_are_those_of_the_metadata() -> None:
    defined = [*eventlog_metadata.sorted_tables, *projection_metadata.sorted_tables]
    assert sorted(tables()) == sorted(table.fullname for table in defined)


@pytest.mark.parametrize(
    "change",
    [
        "update eventlog.alembic_version set version_num = '0000'",
        "delete from eventlog.alembic_version",
        "drop table eventlog.alembic_version",
        "comment on schema coordinator is 'relations 0123456789abcdef'",
        "comment on schema coordinator is null",
        "drop view coordinator.job",
        "drop table projection.log_time cascade",
        "drop schema projection cascade",
        "drop schema coordinator cascade",
    ],
)
def test_a_schema_that_differs_is_not_called_current(database_url: str, change: str) -> None:
    with connect(database_url) as connection:
        assert is_current(connection)
        connection.execute(change.encode())
        assert not is_current(connection)


def test_an_empty_database_is_not_current(empty_database_url: str) -> None:
    with connect(empty_database_url) as connection:
        assert not is_current(connection)


def test_for_a_reader_only_the_relations_are_compared(database_url: str) -> None:
    with connect(database_url) as connection, connection.transaction():
        connection.execute("set local role coordstream_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("select from eventlog.alembic_version")
        assert is_current(connection)


def test_a_checkout_has_them_beside_the_packages() -> None:
    assert migrations_folder() == Path(__file__).parents[2] / "migrations"


def test_a_wheel_has_them_inside(tmp_path: Path) -> None:
    inside = tmp_path / "coordstream" / "migrations"
    inside.mkdir(parents=True)
    (inside / "env.py").touch()
    assert migrations_folder(tmp_path / "coordstream") == inside


def test_a_broken_installation_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CoordstreamError, match=r"^No migrations in .* or beside it\. Reinstall coordstream\.$"):
        migrations_folder(tmp_path)
