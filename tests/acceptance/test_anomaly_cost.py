"""Anomalies of a stretch of one job's log cost by that stretch, not by the history."""

from collections.abc import Iterator
from typing import Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.connection import connect
from tests.acceptance.synthetic_history import JOB, History, buffers, load_history, plan, scans
from tests.fixtures.postgres import CloneSeries

pytestmark = pytest.mark.slow

EVENTS: Final = 100_000
STRETCH: Final = 1_000
OF_THE_JOB: Final = "select * from coordinator.anomaly where job_name = %s and job_id = %s"
OF_A_STRETCH: Final = f"{OF_THE_JOB} and stream_kind = 'checkpoint' and log_offset between %s and %s"


@pytest.fixture(scope="module")
def history(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[History]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield load_history(connection, EVENTS)


@pytest.mark.parametrize("part", [0.2, 0.6, 1.0])
def test_a_stretch_is_read_by_index(history: History, part: float) -> None:
    last = history.checkpoint[int(part * (len(history.checkpoint) - 1))].offset
    executed = plan(history.connection, OF_A_STRETCH, *JOB, last - STRETCH, last)
    whole = plan(history.connection, OF_THE_JOB, *JOB)
    print(f"\n{STRETCH} offsets: {buffers(executed)} buffers; the job: {buffers(whole)}")
    read_whole = {
        node["Relation Name"]
        for node in scans(executed)
        if node["Node Type"] == "Seq Scan" and node["Relation Name"].startswith(("checkpoint_event", "event_from"))
    }
    assert read_whole == set()
    assert buffers(executed) < buffers(whole) / 8
