from datetime import timedelta

from eventlog.postgres.connection import connect
from projections.server_clock import server_now


def test_it_goes_on_within_a_transaction(database_url: str) -> None:
    with connect(database_url) as connection, connection.transaction():
        began = connection.execute("select now()").fetchone()
        assert began is not None
        first, second = server_now(connection), server_now(connection)
        assert began[0] < first < second
        assert first.utcoffset() == timedelta()
