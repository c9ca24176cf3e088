"""Rebuilds whose session ends before any of their statements change nothing, and the next one ends right."""

import random
from contextlib import suppress
from typing import Any, Final

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from projections.rebuild import rebuild_log
from projections.relations import LOG_TABLES
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.projections.rebuilt import folded_rows
from tests.fixtures.properties.generated_jobs import Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_log

pytestmark = [pytest.mark.slow, pytest.mark.torture]

KILLS: Final = scaled(4, 50)
STATEMENTS: Final = 130
LONG: Final = Knobs(events=(100, 150), without_topic=0, without_coordinator=0)
SOME_ROWS: Final = """
delete from projection.message_event where log_offset % 3 = 0;
update projection.config set host = 'elsewhere';
delete from projection.event_key where key_id % 5 = 0
"""
ALL_ROWS: Final = ";".join(f"delete from projection.{table}" for table in LOG_TABLES)
IN_TRANSACTION: Final = "select pg_current_xact_id_if_assigned() is not null"


class DyingConnection:
    """Passes everything to a connection, and ends its session before a statement, as the kill of its process does."""

    def __init__(self, connection: Connection, end_before: int) -> None:
        self._connection = connection
        self._left = end_before
        self.was_in_transaction = False

    def __getattr__(self, name: str) -> Any:
        """What the connection has under this name."""
        return getattr(self._connection, name)

    def execute(self, *arguments: Any, **options: Any) -> Any:
        """Execute a statement; the session ends before it if it is the one."""
        self._left -= 1
        if self._left == 0:
            self.was_in_transaction = self._connection.execute(IN_TRANSACTION).fetchone() == (True,)
            with suppress(psycopg.OperationalError):
                self._connection.execute("select pg_terminate_backend(pg_backend_pid())")
        return self._connection.execute(*arguments, **options)


@pytest.mark.parametrize("damage", [SOME_ROWS, ALL_ROWS])
def test_killed_rebuilds_change_nothing(database_url: str, connected: Connection, damage: str) -> None:
    log = generate_job(1, LONG).logs[0]
    luck = random.Random(1)
    import_log(connected, log)
    whole = folded_rows(connected)
    in_transaction = 0
    for statement in luck.sample(range(1, STATEMENTS), KILLS):
        connected.execute(damage.encode())
        damaged = folded_rows(connected)
        with connect(database_url) as session:
            dying: Any = DyingConnection(session, statement)
            try:
                rebuild_log(dying, logs_of(connected, log.stream_name)[0], SETTINGS, batch_events=40)
                expected = whole  # it has fewer statements
            except psycopg.OperationalError:
                expected = damaged
        assert folded_rows(connected) == expected
        in_transaction += dying.was_in_transaction
        rebuild_log(connected, logs_of(connected, log.stream_name)[0], SETTINGS)
        assert folded_rows(connected) == whole
        assert verify_log(connected, logs_of(connected, log.stream_name)[0], SETTINGS).is_equal
    print(f"{KILLS} kills, {in_transaction} of them in a transaction that had written")
    assert in_transaction >= KILLS // 2
