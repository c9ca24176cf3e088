"""Exported snapshots: positions, sharing, and errors."""

import psycopg
import pytest

from spark_jobs.errors import SparkJobError
from spark_jobs.relations.snapshots import exported_snapshot
from tests.spark_jobs.plain_relations import Relations, at


def test_a_snapshot_has_the_positions_of_its_moment(relations: Relations) -> None:
    relations.add_log("counts/1", 10, at(0))
    with exported_snapshot(relations.url) as snapshot:
        relations.add_log("counts/2", 20, at(0))
        assert snapshot.positions == {("__samza_checkpoint_ver_1_for_counts_1", 1): 10}
        assert snapshot.connection.execute("SELECT count(*) FROM coordinator.job").fetchall() == [(1,)]


def test_the_session_statement_shares_the_snapshot(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot, psycopg.connect(relations.url, autocommit=True) as reader:
        relations.add_log("counts/1", 10, at(0))
        reader.execute(snapshot.session_statement())
        assert reader.execute("SELECT count(*) FROM coordinator.job").fetchall() == [(0,)]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            reader.execute("DELETE FROM coordinator.job")


def test_a_snapshot_has_no_idle_timeout(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot:
        shown = snapshot.connection.execute("SHOW idle_in_transaction_session_timeout").fetchall()
        assert shown == [("0",)]


def test_a_server_ends_the_snapshot_of_a_lost_machine(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot:
        assert snapshot.connection.execute("SHOW tcp_keepalives_idle").fetchall() == [("15",)]


def test_a_snapshot_ends_with_its_block(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot:
        statement = snapshot.session_statement()
    with psycopg.connect(relations.url, autocommit=True) as reader, pytest.raises(psycopg.errors.Error):
        reader.execute(statement)


def error_message(url: str) -> str:
    with pytest.raises(SparkJobError) as raised, exported_snapshot(url):
        pass
    return str(raised.value)


def test_a_database_without_schema_is_reported(empty_database_url: str) -> None:
    assert "Run `coordstream db migrate`" in error_message(empty_database_url)


def test_an_unreachable_server_is_reported_without_the_password() -> None:
    message = error_message("postgresql://me:hunter2@127.0.0.1:1/none")
    assert "127.0.0.1" in message
    assert "Cannot connect" in message
    assert "hunter2" not in message
    assert "\n" not in message


def test_an_invalid_url_is_not_quoted() -> None:
    assert "hunter2" not in error_message("postgresql://me:%hunter2@h/d")
