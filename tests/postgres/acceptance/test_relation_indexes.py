"""A question about one job, one task or a stretch of offsets reads that much, however many jobs there are (EXPLAIN)."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest

from eventlog.postgres.connection import Connection
from tests.fixtures.acceptance.odd_jobs import import_hand_made_jobs, import_recording_a, leave_receipts
from tests.postgres.acceptance.fleet import copy_jobs
from tests.postgres.acceptance.synthetic_history import nodes, plan, scans
from tests.postgres.acceptance.test_relations_contract import RELATIONS

pytestmark = pytest.mark.slow

COPIES: Final = 100
JOB: Final = "job_name = '{}' and job_id = '1'"
OF_ANOTHER_JOB: Final = {"quarantine": "bad", "log_gap": "pasts"}
"""Which job has rows, where the recorded one has none."""
PROVENANCE: Final = ("stream_kind", "incarnation", "log_offset")
COMPUTED: Final = {"anomaly", "rewind", "startpoint_history"}
OF_ONE_EVENT: Final = {relation.name for relation in RELATIONS if relation.key[2:5] == PROVENANCE} - COMPUTED
"""Relations with rows for each event: they need the offset and the task in the index. Others show live keys: few."""
OBSERVATIONS: Final = """
insert into eventlog.input_bound
select 'job-' || n % 100, 'kafka', 'in', n / 100, 0, n, null, timestamptz 'epoch' from generate_series(1, 20000) n
"""
EVENTS: Final = ("message_event", "checkpoint_event", "event_from", "quarantine")


A_ROW_A_STREAM: Final = {"log_head", "position", "refused_stream", "retired_stream", "horizon"}
"""Tables with one row per log, refused or retired stream, or retention: so small that a plan may read them whole."""


class Scan(NamedTuple):
    """What a plan reads of a table, and by which condition on an index (empty: all of it)."""

    table: str
    by: str


@pytest.fixture(scope="module")
def fleet(database: Connection) -> Connection:
    """The recorded job and the hand-made ones, with copies of each."""
    import_recording_a(database)
    import_hand_made_jobs(database)
    copy_jobs(database, COPIES)
    database.execute(OBSERVATIONS)
    leave_receipts(database, 500)
    database.execute("vacuum analyze eventlog.input_bound, eventlog.spark_read")
    database.execute("set random_page_cost = 1.1")  # a page is as near as another, on disks of today
    return database


def questions(index_column: str = "", with_column: str | None = None, condition: str = "") -> list[Any]:
    """Every relation (that has the column) with a question about one job, and more narrowly."""
    return [
        pytest.param(
            relation.name,
            JOB.format(OF_ANOTHER_JOB.get(relation.name, "wordcount_pv")) + condition,
            index_column,
            id=f"{relation.name} {index_column}",
        )
        for relation in RELATIONS
        if with_column is None or with_column in {column.name for column in relation.columns}
    ]


@pytest.mark.parametrize(
    ("relation", "where", "index_column"),
    [
        *questions(),
        *questions("key_id", "task_name", " and task_name = 'Partition 3'"),
        *questions("log_offset", "log_offset", " and log_offset between 100 and 110"),
    ],
)
def test_rows_are_found_by_job_and_by_keys_or_offsets(
    fleet: Connection, relation: str, where: str, index_column: str
) -> None:
    scans = list(executed_scans(plan(fleet, f"select * from coordinator.{relation} where {where}")))
    assert scans
    assert [scan for scan in scans if not is_found_by_job(scan)] == []
    if index_column and relation in OF_ONE_EVENT:
        of_events = [scan for scan in scans if scan.table.startswith(EVENTS)]
        assert any(index_column in scan.by for scan in of_events), of_events


def is_found_by_job(scan: Scan) -> bool:
    """Whether rows of one job alone are looked at, but in tables that are empty here and small elsewhere."""
    names = {"job_log": ("log_id", "job_name", "job_suffix"), "input_bound": ("job_suffix",)}.get(
        scan.table, ("log_id",)
    )
    return scan.table in A_ROW_A_STREAM or any(name in scan.by for name in names)


def executed_scans(executed: dict[str, Any]) -> Iterator[Scan]:
    """What was read in the execution of a plan."""
    for node in scans(executed):
        if node["Actual Loops"]:
            bitmaps = [bitmap.get("Index Cond", "") for bitmap in nodes(node)]
            yield Scan(node["Relation Name"], " ".join(bitmaps))
