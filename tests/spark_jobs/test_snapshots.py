"""An exported snapshot: what it shows, what others see of it, and what it says when it can't be had."""

import psycopg
import pytest

from spark_jobs.errors import SparkJobError
from spark_jobs.snapshots import exported_snapshot
from tests.spark_jobs.relations import Relations, at


def test_it_shows_the_positions_of_its_moment(relations: Relations) -> None:
    relations.add_log("counts/1", 10, at(0))
    with exported_snapshot(relations.url) as snapshot:
        relations.add_log("counts/2", 20, at(0))
        assert snapshot.positions == {("__samza_checkpoint_ver_1_for_counts_1", 1): 10}
        assert snapshot.connection.execute("SELECT count(*) FROM coordinator.job").fetchall() == [(1,)]


def test_another_connection_that_says_the_statement_sees_the_same(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot, psycopg.connect(relations.url, autocommit=True) as reader:
        relations.add_log("counts/1", 10, at(0))
        reader.execute(snapshot.session_statement())
        assert reader.execute("SELECT count(*) FROM coordinator.job").fetchall() == [(0,)]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            reader.execute("DELETE FROM coordinator.job")


def test_no_idle_timeout_ends_it(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot:
        shown = snapshot.connection.execute("SHOW idle_in_transaction_session_timeout").fetchall()
        assert shown == [("0",)]


def test_it_is_gone_after_the_block(relations: Relations) -> None:
    with exported_snapshot(relations.url) as snapshot:
        statement = snapshot.session_statement()
    with psycopg.connect(relations.url, autocommit=True) as reader, pytest.raises(psycopg.errors.Error):
        reader.execute(statement)


def refused(url: str) -> str:
    with pytest.raises(SparkJobError) as refusal, exported_snapshot(url):
        pass
    return str(refusal.value)


def test_a_database_without_relations_says_what_to_run(empty_database_url: str) -> None:
    assert "run `coordstream migrate`" in refused(empty_database_url)


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    sentence = refused("postgresql://me:hunter2@127.0.0.1:1/none")
    assert "127.0.0.1" in sentence
    assert "cannot be reached" in sentence
    assert "hunter2" not in sentence
    assert "\n" not in sentence


def test_a_url_that_cannot_be_read_is_not_quoted() -> None:
    assert "hunter2" not in refused("postgresql://me:%hunter2@h/d")
