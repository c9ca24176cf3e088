"""Parameters that are sent as they are."""

import pytest

from eventlog.postgres.binary_values import bytea_array, int8_array
from eventlog.postgres.connection import Connection, connect


@pytest.mark.parametrize("values", [[], [b""], [None], [b"\x00\xff", None, b"a" * 3000]])
def test_byte_strings_arrive_as_an_array(database_url: str, values: list[bytes | None]) -> None:
    with connect(database_url) as connection:
        assert _echo(connection, "%s::bytea[]", bytea_array(values)) == values


@pytest.mark.parametrize("values", [[], [0], [None], [-(2**63), None, 2**63 - 1]])
def test_integers_arrive_as_an_array(database_url: str, values: list[int | None]) -> None:
    with connect(database_url) as connection:
        assert _echo(connection, "%s::bigint[]", int8_array(values)) == values


def _echo(connection: Connection, placeholder: str, parameter: bytes) -> object:
    row = connection.execute(f"select {placeholder}".encode(), (parameter,), binary=True).fetchone()
    assert row is not None
    return row[0]
