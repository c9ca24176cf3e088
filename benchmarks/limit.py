"""The limit: loading the rows of a replay, as prepared binary COPY data, into tables with only their primary keys."""

from collections.abc import Mapping
from typing import Final

from psycopg import sql

from benchmarks.processes import Cost, cost_on
from benchmarks.servers import BenchmarkServer
from eventlog.postgres.connection import Connection, connect

CopyData = Mapping[str, list[bytes]]
"""Blocks of data by table: the archive and the histories."""

_BLOCK_BYTES: Final = 1 << 18
_SCHEMAS: Final = {
    "event": "eventlog",
    **dict.fromkeys(("checkpoint_event", "message_event", "checkpoint_envelope"), "projection"),
}


def read_rows(url: str) -> CopyData:
    """The rows of the archive and the histories of a replayed database, in insertion order."""
    with connect(url) as connection:
        return {table: _read(connection, table) for table in _SCHEMAS}


def load(server: BenchmarkServer, data: CopyData) -> Cost:
    """Load the data with one COPY for each table, in one transaction."""
    with server.database("limit") as url, connect(url) as connection:
        connection.execute("create schema plain")
        create = sql.SQL("create table plain.{0} (like {1}.{0} including all)")
        for table, schema in _SCHEMAS.items():
            connection.execute(create.format(sql.Identifier(table), sql.Identifier(schema)))
        return cost_on(connection, lambda: _load(connection, data))


def _read(connection: Connection, table: str) -> list[bytes]:
    statement = sql.SQL("copy (select * from {} order by log_id, log_offset) to stdout (format binary)")
    blocks, block = [], bytearray()
    with connection.cursor().copy(statement.format(sql.Identifier(_SCHEMAS[table], table))) as copy:
        for data in copy:
            block += data
            if len(block) >= _BLOCK_BYTES:
                blocks.append(bytes(block))
                block.clear()
    return [*blocks, bytes(block)]


def _load(connection: Connection, data: CopyData) -> None:
    with connection.transaction():
        for table, blocks in data.items():
            copying = sql.SQL("copy {} from stdin (format binary)").format(sql.Identifier("plain", table))
            with connection.cursor().copy(copying) as copy:
                for block in blocks:
                    copy.write(block)
