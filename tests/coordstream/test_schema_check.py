"""The quick check of a schema says yes only if the full one does."""

from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from coordstream.migration_files import migrations_folder
from coordstream.schema_check import head_revision, is_current
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


def test_ambiguous_files_have_no_head_revision(tmp_path: Path) -> None:
    (tmp_path / "versions").mkdir()
    for name in ("1", "2"):
        (tmp_path / "versions" / f"{name}.py").write_text(f'revision = "{name}"\ndown_revision = None\n')
    assert head_revision(tmp_path) is None


@pytest.mark.parametrize(
    "change",
    [
        "update eventlog.alembic_version set version_num = '0001'",
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
