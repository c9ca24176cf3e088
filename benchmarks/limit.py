"""The limit: loading the rows of a replay, as prepared binary COPY data, into the reference tables."""

import time
from collections.abc import Mapping
from importlib.resources import files
from typing import Final, NamedTuple

from psycopg import sql

from benchmarks.server import BenchmarkServer, backend_cpu_seconds
from eventlog.postgres.connection import Connection, connect

CopyData = Mapping[str, list[bytes]]
"""Blocks of data by reference table."""

_BLOCK_BYTES: Final = 1 << 18
_COLUMNS: Final = {
    "event": "log_offset, record_time, archived_at, unheld_timestamp, log_id, leader_epoch, timestamp_type, headers,"
    " key, value",
    "checkpoint_event": "log_offset, record_time, log_id, key_id, layout_id, checkpoint_id, offsets, offsets_odd,"
    " other_version_time",
    "message_event": "log_offset, record_time, message_time, log_id, key_id, body, source, host, username",
    "checkpoint_envelope": "log_offset, message_time, log_id, source, host, username",
}


def read_rows(connection: Connection) -> CopyData:
    """The rows of the archive and the histories of a replayed database, in insertion order."""
    return {table: _read(connection, table) for table in _COLUMNS}


class Load(NamedTuple):
    """Seconds of wall clock, and CPU seconds of this process and the server's backend."""

    seconds: float
    client_seconds: float
    server_seconds: float | None


def load(server: BenchmarkServer, data: CopyData) -> Load:
    """Load the data with one COPY for each table, in one transaction."""
    with server.database("limit", migrated=False) as url, connect(url) as connection:
        connection.execute((files("benchmarks") / "reference.sql").read_bytes())
        server_before, client_before = backend_cpu_seconds(connection), time.process_time()
        started = time.perf_counter()
        with connection.transaction():
            for table, blocks in data.items():
                _load(connection, table, blocks)
        seconds, server_after = time.perf_counter() - started, backend_cpu_seconds(connection)
        server_seconds = None if server_before is None or server_after is None else server_after - server_before
        return Load(seconds, time.process_time() - client_before, server_seconds)


def _read(connection: Connection, table: str) -> list[bytes]:
    source = sql.Identifier("eventlog" if table == "event" else "projection", table)
    statement = sql.SQL("copy (select {} from {} order by log_id, log_offset) to stdout (format binary)").format(
        _columns(table), source
    )
    blocks, block = [], bytearray()
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for data in copy:
            block += data
            if len(block) >= _BLOCK_BYTES:
                blocks.append(bytes(block))
                block.clear()
    return [*blocks, bytes(block)]


def _load(connection: Connection, table: str, blocks: list[bytes]) -> None:
    statement = sql.SQL("copy {} ({}) from stdin (format binary)").format(
        sql.Identifier("reference", table), _columns(table)
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for block in blocks:
            copy.write(block)


def _columns(table: str) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, _COLUMNS[table].split(", ")))
