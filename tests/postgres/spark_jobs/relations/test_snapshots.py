"""Exported snapshots: positions, sharing, and errors."""

import psycopg
import pytest

from eventlog.postgres.connection import connect
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.snapshots import exported_snapshot
from tests.builders import config_set
from tests.fixtures.acceptance.imported_job import ImportedJob


def test_connections_share_the_snapshot_until_the_end_of_its_block(database_url: str) -> None:
    with connect(database_url) as connection, psycopg.connect(database_url, autocommit=True) as reader:
        counts = ImportedJob(connection, "counts", coordinator=[config_set(), config_set("a")])
        with exported_snapshot(database_url) as snapshot:
            ImportedJob(connection, "later", coordinator=[config_set()])
            assert snapshot.positions_of(None) == {(counts.coordinator_stream, 1): 2}
            reader.execute(snapshot.session_statement())
            assert reader.execute("SELECT job_name FROM coordinator.job").fetchall() == [("counts",)]
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                reader.execute("DELETE FROM projection.job_log")
            for setting, value in (("idle_in_transaction_session_timeout", "0"), ("tcp_keepalives_idle", "15")):
                assert snapshot.connection.execute(f"SHOW {setting}".encode()).fetchall() == [(value,)]
        reader.execute("ROLLBACK")
        with pytest.raises(psycopg.errors.Error):
            reader.execute(snapshot.session_statement())


def error_message(url: str) -> str:
    with pytest.raises(SparkJobError) as raised, exported_snapshot(url):
        pass
    return str(raised.value)


def test_a_database_without_schema_is_reported(empty_database_url: str) -> None:
    assert "Run `coordstream db migrate`" in error_message(empty_database_url)


def test_an_unreachable_server_is_reported_without_the_password() -> None:
    message = error_message("postgresql://me:hunter2@127.0.0.1:1/none")
    assert "127.0.0.1" in message
    assert "Cannot read the relations (" in message
    assert "hunter2" not in message
    assert "\n" not in message


def test_an_invalid_url_is_not_quoted() -> None:
    assert "hunter2" not in error_message("postgresql://me:%hunter2@h/d")
