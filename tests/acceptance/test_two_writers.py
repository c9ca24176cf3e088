"""Two programs set one key at once, and a projector reads between: the table shows what the log says last."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.log_registry import newest_log
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import identify
from managers.config.job_config import read_config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.coordinator_producer import CoordinatorStreamWriter
from projections.fold.settings import FoldSettings
from projections.projector import Projector
from projections.tracked_logs import track_log
from tests.fixtures.waiting import PATIENCE

STREAM: Final = identify("__samza_coordinator_orders_1")
ROUNDS: Final = 500
ROW: Final = "select config_value, log_offset from coordinator.config where config_key = 'contested'"
NOW: Final = datetime(2026, 3, 4, tzinfo=UTC)


def projector_of(connection: Connection) -> Projector:
    """What folds the log into the tables."""
    stored = newest_log(connection, STREAM.stream_name)
    assert stored is not None
    settings = FoldSettings(SecretPolicy(b"key"))
    with connection.transaction():
        tracked = track_log(connection, stored, settings)
    return Projector(connection, tracked, settings, lambda: NOW, archives=False)


@pytest.mark.slow
def test_the_highest_offset_wins_each_time(database_url: str) -> None:
    with (
        PostgresEventLog.create(database_url, STREAM) as log,
        PostgresEventLog(database_url, STREAM.stream_name) as others,
        PostgresEventLog(database_url, STREAM.stream_name) as read,
        connect(database_url) as connection,
        CoordinatorStreamWriter(log) as one,
        CoordinatorStreamWriter(others) as other,
        CoordinatorStreamStore(read) as store,
        ThreadPoolExecutor(2) as pool,
    ):
        projector = projector_of(connection)
        for turn in range(ROUNDS):
            writes = [
                pool.submit(writer.send_set_config, "contested", f"{turn} by {name}")
                for name, writer in (("one", one), ("other", other))
            ]
            between = list(read.read(projector.next_offset))
            projector.apply(between)
            for write in writes:
                write.result(timeout=PATIENCE)
            projector.apply(list(read.read(projector.next_offset)))
            shown = connection.execute(ROW).fetchone()
            assert shown == (read_config(store)["contested"], 2 * turn + 1)
