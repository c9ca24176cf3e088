"""Rebuilds that are killed (-9) before any of their statements change nothing, and the next one ends right."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from projections.rebuild import rebuild_log
from projections.scratch_fold import log_tables
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.acceptance.torture import scaled
from tests.fixtures.waiting import wait_until
from tests.projections.rebuilt import relations
from tests.properties.generated_jobs import Knobs, generate_job
from tests.properties.importing import SETTINGS, import_log

pytestmark = [pytest.mark.slow, pytest.mark.torture]

ROOT: Final = Path(__file__).parents[2]
KILLS: Final = scaled(4, 50)
STATEMENTS: Final = 130
LONG: Final = Knobs(events=(100, 150), without_topic=0, without_coordinator=0)
SOME_ROWS: Final = """
delete from projection.message_event where log_offset % 3 = 0;
update projection.message_current set host = 'elsewhere';
delete from projection.event_key where key_id % 5 = 0
"""
ALL_ROWS: Final = ";".join(f"delete from projection.{table}" for table in log_tables())
IN_TRANSACTION: Final = "select backend_xid is not null from pg_stat_activity where pid = %s"
IS_GONE: Final = "select count(*) = 0 from pg_stat_activity where pid = %s"


def kill_before(connection: Connection, url: str, stream_name: str, statement: int) -> bool | None:
    """Kill a rebuild before a statement. Returns whether it had a transaction open; None if it was done before."""
    command = [sys.executable, "-m", "tests.acceptance.rebuild_until", url, stream_name, str(statement)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            if line == "done":
                return None
            row = connection.execute(IN_TRANSACTION, (int(line),)).fetchone()
        finally:
            process.kill()
            process.wait()
    wait_until(lambda: (connection.execute(IS_GONE, (int(line),)).fetchone() or (False,))[0], what="the backend's end")
    return row is not None and bool(row[0])


@pytest.mark.parametrize("damage", [SOME_ROWS, ALL_ROWS])
def test_killed_rebuilds_change_nothing(database_url: str, damage: str) -> None:
    log = generate_job(1, LONG).logs[0]
    luck = random.Random(1)
    with connect(database_url) as connection:
        import_log(connection, log)
        whole = relations(connection)
        in_transaction = 0
        for statement in luck.sample(range(1, STATEMENTS), KILLS):
            connection.execute(damage.encode())
            damaged = relations(connection)
            found = kill_before(connection, database_url, log.stream_name, statement)
            assert relations(connection) == (whole if found is None else damaged)
            in_transaction += bool(found)
            rebuild_log(connection, logs_of(connection, log.stream_name)[0], SETTINGS)
            assert relations(connection) == whole
            assert verify_log(connection, logs_of(connection, log.stream_name)[0], SETTINGS).is_equal
    print(f"{KILLS} kills, {in_transaction} of them in a transaction that had written")
    assert in_transaction >= KILLS // 2
