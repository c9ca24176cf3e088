"""The current tables: an older row never takes the place of a newer one, whichever way it is written."""

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from psycopg.types.json import Jsonb

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.copy_rows import json_rows
from projections.batch_writes import merge_many, newest_rows, prepare
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.rows import CheckpointRow, MessageRow
from tests.properties.importing import SETTINGS


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        prepare(connection)
        yield connection


Merge = Callable[[Connection, BatchFold], None]
KEY_ID: Final = 1


def merge_few(connection: Connection, fold: BatchFold) -> None:
    """As the projector does with a batch of few events."""
    connection.execute(
        "insert into projection.position (log_id, next_offset, heartbeat_at, state, fold_version)"
        " values (1, 0, now(), 'live', '') on conflict do nothing"
    )
    rows = {columns.table: json_rows(columns, rows) for columns, rows in newest_rows(fold) if rows}
    connection.execute("select projection.move_position(1, 0, 0, 0, '', %s)", (Jsonb(rows),))


def message(offset: int, body: bytes | None) -> MessageRow:
    jsonb = None if body is None else b"\x01" + body
    return MessageRow(offset, 0, None, 1, KEY_ID, jsonb, None, None, None)


def checkpoint(offset: int, offsets: bytes | None) -> CheckpointRow:
    layout_id = None if offsets is None else 1
    return CheckpointRow(offset, 0, 1, KEY_ID, layout_id, None, offsets, None)


def merge_message(way: Merge, connection: Connection, row: MessageRow) -> None:
    fold = BatchFold(LogFold(1, "coordinator", SETTINGS.secrets), 0)
    fold.last_messages[KEY_ID] = row
    with connection.transaction():
        way(connection, fold)


def merge_checkpoint(way: Merge, connection: Connection, row: CheckpointRow) -> None:
    fold = BatchFold(LogFold(1, "checkpoint", SETTINGS.secrets), 0)
    fold.checkpoints.last_rows[KEY_ID] = row
    with connection.transaction():
        way(connection, fold)


def current(connection: Connection, table: str) -> list[tuple[object, ...]]:
    column = "body::text" if table == "message_current" else "offsets"
    return connection.execute(f"select log_offset, {column} from projection.{table}".encode()).fetchall()


@pytest.mark.parametrize("way", [merge_few, merge_many])
def test_a_newer_message_replaces_and_an_older_one_does_not(way: Merge, connected: Connection) -> None:
    merge_message(way, connected, message(5, b'"five"'))
    merge_message(way, connected, message(4, b'"four"'))
    assert current(connected, "message_current") == [(5, '"five"')]
    merge_message(way, connected, message(4, None))
    assert current(connected, "message_current") == [(5, '"five"')]
    merge_message(way, connected, message(6, b'"six"'))
    assert current(connected, "message_current") == [(6, '"six"')]
    merge_message(way, connected, message(7, None))
    assert current(connected, "message_current") == []


@pytest.mark.parametrize("way", [merge_few, merge_many])
def test_a_newer_checkpoint_replaces_and_an_older_one_does_not(way: Merge, connected: Connection) -> None:
    merge_checkpoint(way, connected, checkpoint(5, b"five"))
    merge_checkpoint(way, connected, checkpoint(4, b"four"))
    merge_checkpoint(way, connected, checkpoint(4, None))
    assert current(connected, "checkpoint_current") == [(5, "five")]
    merge_checkpoint(way, connected, checkpoint(6, b"six"))
    assert current(connected, "checkpoint_current") == [(6, "six")]
    merge_checkpoint(way, connected, checkpoint(7, None))
    assert current(connected, "checkpoint_current") == []


def test_temporary_tables_are_created_again_if_a_rollback_has_removed_them(database_url: str) -> None:
    with connect(database_url) as connection:
        with connection.transaction(force_rollback=True):
            prepare(connection)
        prepare(connection)
        prepare(connection)
        counts = connection.execute("select count(*) from merged_message, merged_checkpoint").fetchall()
    assert counts == [(0,)]
