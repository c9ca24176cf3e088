"""Rows of eventlog.log."""

import pytest
from psycopg.errors import InsufficientPrivilege, LockNotAvailable

from eventlog.postgres.connection import connect
from eventlog.postgres.log_registry import StoredLog, fill_topic, hold, insert_log, known_cluster, newest_log
from tests.contracts.event_log import NOW
from tests.fixtures.database_users import database_user


def test_the_newest_incarnation_is_found(database_url: str) -> None:
    with connect(database_url) as connection:
        assert newest_log(connection, "s") is None
        first = insert_log(connection, "s", "coordinator", 1, "recording", NOW)
        insert_log(connection, "t", "checkpoint", 9, "recording", NOW)
        assert newest_log(connection, "s") == first
        second = insert_log(connection, "s", "coordinator", 2, "kafka", NOW)
        assert newest_log(connection, "s") == second == StoredLog(second.log_id, "kafka", "s", "coordinator", 2)
        assert second.log_id != first.log_id


def test_the_log_of_a_topic_says_which_one(database_url: str) -> None:
    with connect(database_url) as connection:
        assert known_cluster(connection) is None
        recorded = insert_log(connection, "s", "coordinator", 1, "recording", NOW)
        assert (known_cluster(connection), recorded.cluster_id, recorded.topic_id) == (None, None, None)
        followed = insert_log(connection, "t", "coordinator", 1, "kafka", NOW, cluster_id="c", topic_id="i")
        assert newest_log(connection, "t") == followed
        assert known_cluster(connection) == "c"


def test_a_recorded_log_may_turn_out_to_be_that_of_a_topic(database_url: str) -> None:
    with connect(database_url) as connection:
        recorded = insert_log(connection, "s", "coordinator", 1, "recording", NOW)
        other = insert_log(connection, "t", "coordinator", 1, "recording", NOW)
        fill_topic(connection, recorded.log_id, "kafka", "c", "i")
        assert newest_log(connection, "s") == StoredLog(recorded.log_id, "kafka", "s", "coordinator", 1, "c", "i")
        assert newest_log(connection, "t") == other


def test_a_name_is_held_until_the_end_of_the_transaction(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other:
        other.execute("set lock_timeout = '20ms'")
        for _ in range(2):  # a new name, and one that was held before
            with one.transaction():
                hold(one, "a name")
                hold(one, "a name")
                hold(other, "another name")
                with pytest.raises(LockNotAvailable):
                    hold(other, "a name")
            hold(other, "a name")


@pytest.mark.parametrize("role", ["coordstream_reader", "coordstream_replayer", "coordstream_writer"])
def test_a_reader_cannot_lock_a_name(database_url: str, role: str) -> None:
    with database_user(database_url, role) as user, connect(user) as connection:
        with pytest.raises(InsufficientPrivilege):
            hold(connection, "a name")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("select from eventlog.held_name for update")
