"""The current tables: an older row never takes the place of a newer one, whichever way it is written."""

from collections.abc import Callable
from typing import Final

import pytest
from psycopg.types.json import Jsonb

from eventlog.postgres.connection import Connection
from eventlog.postgres.copy_rows import json_rows
from projections.batch_writes import merge_many, newest_rows, prepare
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.message_bodies import JSONB_VERSION
from projections.fold.rows import CheckpointRow, MessageRow
from tests.properties.importing import SETTINGS

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


def merge(way: Merge, connection: Connection, table: str, offset: int, value: bytes | None) -> None:
    """Merge a batch whose last row of a key has this value, or deletes it."""
    if table == "message_current":
        fold = BatchFold(LogFold(1, "coordinator", SETTINGS.secrets), 0)
        jsonb = None if value is None else JSONB_VERSION + value
        fold.last_messages[KEY_ID] = MessageRow(offset, 0, None, 1, KEY_ID, jsonb, None, None, None)
    else:
        fold = BatchFold(LogFold(1, "checkpoint", SETTINGS.secrets), 0)
        layout_id = None if value is None else 1
        fold.checkpoints.last_rows[KEY_ID] = CheckpointRow(offset, 0, 1, KEY_ID, layout_id, None, value, None)
    with connection.transaction():
        way(connection, fold)


@pytest.mark.parametrize("way", [merge_few, merge_many])
@pytest.mark.parametrize(("table", "column"), [("message_current", "body::text"), ("checkpoint_current", "offsets")])
def test_a_newer_row_replaces_and_an_older_one_does_not(
    way: Merge, table: str, column: str, connected: Connection
) -> None:
    prepare(connected)
    for offset, value, expected in (
        (5, b"5", [(5, "5")]),
        (4, b"4", [(5, "5")]),
        (4, None, [(5, "5")]),
        (6, b"6", [(6, "6")]),
        (7, None, []),
    ):
        merge(way, connected, table, offset, value)
        query = f"select log_offset, {column} from projection.{table}"
        assert connected.execute(query.encode()).fetchall() == expected


def test_temporary_tables_are_created_again_if_a_rollback_has_removed_them(connected: Connection) -> None:
    with connected.transaction(force_rollback=True):
        prepare(connected)
    prepare(connected)
    prepare(connected)
    counts = connected.execute("select count(*) from merged_message, merged_checkpoint").fetchall()
    assert counts == [(0,)]
