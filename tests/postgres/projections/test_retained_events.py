"""Which events a retention keeps in logs whose keys were swept, and how it copies large ones."""

import tracemalloc
from datetime import UTC, datetime
from typing import Final

import pytest

from eventlog.postgres.connection import Connection
from eventlog.postgres.table_partitions import ArchiveReplacement
from eventlog.startpoint import StartpointOldest
from projections.rebuild import rebuild_log
from projections.retention import retain, select_retained
from projections.tracked_logs import Observation, logs_of, write_observations
from projections.verify import verify_log
from tests.builders import checkpoint_v1, config_deleted, config_set, fan_out, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.properties.importing import SETTINGS, import_events

STREAM: Final = "__samza_coordinator_orders_1"
FIRST_MS: Final = 1_700_000_000_000
HORIZON: Final = datetime.fromtimestamp(FIRST_MS / 1_000 + 10, UTC)
CONFIG: Final = "select config_key, config_value from coordinator.config_as_of('orders', '1', %s) order by 1"


def test_the_event_before_a_sweep_does_not_stay_set(connected: Connection) -> None:
    values = [("a", "1"), ("b", "1"), ("c", "1"), ("b", None), ("d", "0"), ("d", "1")]
    events = recorded(
        (config_deleted(key) if value is None else config_set(key, value) for key, value in values), at=FIRST_MS
    )
    import_events(connected, STREAM, events)
    (log,) = logs_of(connected, STREAM)
    write_observations(connected, log.log_id, [Observation(1, "swept", events[0].key)], HORIZON)
    rebuild_log(connected, log, SETTINGS)
    expected = [("c", "1"), ("d", "1")]
    assert connected.execute(CONFIG, (HORIZON,)).fetchall() == expected
    assert retain(connected, logs_of(connected, STREAM), SETTINGS, HORIZON).logs[0].base == (0, 1, 2, 3, 5)
    assert connected.execute(CONFIG, (HORIZON,)).fetchall() == expected
    assert verify_log(connected, logs_of(connected, STREAM)[0], SETTINGS).is_equal


def test_only_what_advances_beyond_the_horizon_shows_that_a_startpoint_was_ignored(connected: Connection) -> None:
    """The checkpoint before the fan-out is gone; that of partition 0 advanced before it only."""
    handed = fan_out("t", dict.fromkeys(("kafka.in.0", "kafka.in.1"), StartpointOldest(FIRST_MS)))
    offsets = [{"kafka.in.0": "100" if second else "50", "kafka.in.1": str(second)} for second in range(20)]
    job = ImportedJob(connected, "quiet")
    job.import_recorded(job.coordinator_stream, recorded([handed, config_set()], at=FIRST_MS + 5_000, step=5_000))
    commits = recorded([checkpoint_v1("t", each) for each in offsets], at=FIRST_MS, step=1_000)
    job.import_recorded(job.checkpoint_stream, commits)
    assert job.rows("anomaly", "anomaly, subject, log_offset") == [("startpoint_ignored", "kafka.in.1", 7)]
    logs = [log for name in (job.coordinator_stream, job.checkpoint_stream) for log in logs_of(connected, name)]
    retain(connected, logs, job.settings, HORIZON)
    assert job.rows("anomaly", "anomaly, subject, log_offset") == [("startpoint_ignored", "kafka.in.1", 12)]


def test_a_large_page_is_copied_over_a_file(connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventlog.postgres.table_partitions._PAGE_BYTES", 1 << 20)
    names = [*["superseded"] * 3, *(f"key {number}" for number in range(64))]
    import_events(connected, STREAM, recorded((config_set(name, "v" * 400_000) for name in names), at=FIRST_MS))
    with connected.transaction(force_rollback=True):
        (retained,) = select_retained(connected, logs_of(connected, STREAM), HORIZON)
        replacement = ArchiveReplacement(connected, retained.partitions)
        tracemalloc.start()
        replacement.copy()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8 << 20
