"""Rows of eventlog.log."""

import pytest
from psycopg.errors import InsufficientPrivilege, LockNotAvailable

from eventlog.postgres.connection import connect
from eventlog.postgres.log_registry import hold
from tests.fixtures.database_users import database_user


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
