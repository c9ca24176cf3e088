"""Connections as this product makes them."""

from psycopg.pq import TransactionStatus

from eventlog.connection import connect


def test_no_transaction_is_left_open(database_url: str) -> None:
    with connect(database_url) as connection:
        connection.execute("select 1")
        assert connection.info.transaction_status is TransactionStatus.IDLE
    with connect(database_url, autocommit=False) as connection:
        connection.execute("select 1")
        assert connection.info.transaction_status is TransactionStatus.INTRANS


def test_it_has_a_name_and_speaks_utc(database_url: str) -> None:
    query = "select current_setting('application_name'), current_setting('timezone')"
    with connect(database_url) as connection:
        assert connection.execute(query).fetchone() == ("coordstream", "UTC")
    with connect(database_url, application_name="follower") as connection:
        assert connection.execute(query).fetchone() == ("follower", "UTC")


def test_a_dead_peer_is_noticed_in_half_a_minute(database_url: str) -> None:
    with connect(database_url) as connection:
        options = connection.info.get_parameters()
    idle, interval, count = (int(options[f"keepalives_{name}"]) for name in ("idle", "interval", "count"))
    assert idle + interval * count <= 30


def test_bytes_travel_as_bytes(database_url: str) -> None:
    with connect(database_url) as connection:
        data = bytes(range(256))
        row = connection.execute("select %s, pg_typeof(%s)::text", (data, data), binary=True).fetchone()
    assert row == (data, "bytea")
