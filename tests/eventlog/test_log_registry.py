"""Rows of eventlog.log."""

import pytest
from psycopg.errors import UniqueViolation

from eventlog.connection import connect
from eventlog.log_registry import StoredLog, insert_log, newest_log
from tests.contracts.event_log import NOW


def test_the_newest_incarnation_is_found(database_url: str) -> None:
    with connect(database_url) as connection:
        assert newest_log(connection, "s") is None
        first = insert_log(connection, "s", "coordinator", 1, "recording", NOW)
        insert_log(connection, "t", "checkpoint", 9, "recording", NOW)
        assert newest_log(connection, "s") == first
        second = insert_log(connection, "s", "coordinator", 2, "kafka", NOW)
        assert newest_log(connection, "s") == second == StoredLog(second.log_id, "kafka", "s", "coordinator", 2)
        assert second.log_id != first.log_id


def test_an_incarnation_stands_once(database_url: str) -> None:
    with connect(database_url) as connection:
        insert_log(connection, "s", "coordinator", 1, "recording", NOW)
        with pytest.raises(UniqueViolation, match="uq_log_stream_name_incarnation"):
            insert_log(connection, "s", "coordinator", 1, "kafka", NOW)
