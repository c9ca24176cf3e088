"""A read by the offsets that it had shown: each relation that can be read so has the same rows, whatever came later."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from tests.builders import config_set
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.database_users import database_user
from tests.fixtures.properties.generated_jobs import generate_job
from tests.fixtures.properties.importing import import_log
from tests.postgres.acceptance.synthetic_history import plan, scans

pytestmark = pytest.mark.slow

JOBS: Final = 60
_RELATIONS: Final = """
select replace(p.proname, '_as_read', '') from pg_proc p join pg_class c on c.reltype = p.prorettype
where p.pronamespace = 'projection'::regnamespace and c.relnamespace = 'coordinator'::regnamespace
"""
_ENDS: Final = """
select array_agg(log_id), array_agg(next_offset), now()
from projection.job_log join projection.position using (log_id) where is_current or %s
"""
_AS_READ: Final = "projection.{}_as_read(%s::integer[], %s::bigint[], %s)"
LEAVE: Final[LiteralString] = "select coordinator.leave_receipt('config', '{a,b}', %s, %s, now(), 1, 2, %s)"


def rows(database: Connection, source: str, values: Sequence[Any] | None = None) -> Counter[Any]:
    """The rows, without the name of the job, which an event may change later."""
    query = f"select (to_jsonb(r) - 'job_name' - 'job_id')::text from {source} r"
    return Counter(database.execute(query.encode(), values).fetchall())


def import_part(database: Connection, part: float) -> None:
    """Import the first part of the logs of generated jobs."""
    for log in (log for number in range(JOBS) for log in generate_job(number).logs):
        import_log(database, replace(log, events=log.events[: int(len(log.events) * part)]))


def test_later_events_change_no_row(database: Connection) -> None:
    import_part(database, 0.6)
    names = [name for (name,) in database.execute(_RELATIONS).fetchall()]
    with database.transaction():
        ends = {name: database.execute(_ENDS, (name.endswith("_history"),)).fetchone() for name in names}
        shown = {name: rows(database, f"coordinator.{name}") for name in names}
        before = {name: rows(database, _AS_READ.format(name), ends[name]) for name in names}
    assert {name for name in names if before[name] != shown[name]} <= {"startpoint_history"}  # of ambiguous keys
    import_part(database, 1)
    database.execute("analyze")
    assert {name for name in names if rows(database, _AS_READ.format(name), ends[name]) != before[name]} == set()
    assert {name for name in names if rows(database, f"coordinator.{name}") == before[name]} == set()
    assert len(names) == 18


def test_the_rule_of_a_log_is_looked_up_once(database: Connection) -> None:
    """The planner, which does not know how many events the logs have, would otherwise do so for each of them."""
    import_part(database, 1)
    ends = database.execute(_ENDS, (True,)).fetchone()
    assert ends is not None
    executed = plan(database, f"select log_offset from {_AS_READ.format('commit_history')}", *ends)
    lookups = sum(scan["Actual Loops"] for scan in scans(executed) if scan["Relation Name"] == "message_event")
    assert 0 < lookups < 10 * len(ends[0]) < executed["Actual Rows"]


@pytest.fixture
def reader(database_url: str, connected: Connection) -> Iterator[Connection]:
    """A reader's connection to a database with one job."""
    ImportedJob(connected, "one", coordinator=[config_set("a")], checkpoints=[])
    with database_user(database_url, "coordstream_reader") as url, connect(url) as connection:
        yield connection


def test_a_receipt_is_in_the_name_of_its_user(reader: Connection) -> None:
    ((log_id,),) = reader.execute("select log_id from projection.job_log where stream_kind = 'coordinator'").fetchall()
    ((number,),) = reader.execute(LEAVE, ([[log_id]], [[1]], "report")).fetchall()
    columns = "spark_read_id, read_by = session_user, application, column_names, next_offset"
    found = reader.execute(f"select {columns} from coordinator.spark_read".encode()).fetchall()
    assert found == [(number, True, "report", "a, b", 1)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute("insert into eventlog.spark_read default values")


@pytest.mark.parametrize(
    ("log_ids", "next_offsets", "application", "message"),
    [
        ([], [], "", "Invalid logs of a receipt. Pass the id of each log once"),
        ([1, 1], [1, 1], "", "Invalid logs of a receipt"),
        ([1, 10**6], [1, 1], "", "Invalid logs of a receipt"),
        ([1], [-1], "", "Invalid logs of a receipt"),
        ([1], [1, 1], "", "Invalid logs of a receipt"),
        ([1], [None], "", "Invalid logs of a receipt"),
        ([1], [1], "x" * 10_000, "A receipt has names of at most 10000 characters"),
        ([1], [1], None, "null value in column"),
        (None, None, "", "null value in column"),
    ],
)
def test_a_receipt_names_logs_that_exist(
    reader: Connection, log_ids: Any, next_offsets: Any, application: str | None, message: str
) -> None:
    with pytest.raises(psycopg.Error, match=message):
        reader.execute(LEAVE, (log_ids, next_offsets, application))
    assert reader.execute("select from coordinator.spark_read").fetchall() == []


COPIES: Final = """
insert into eventlog.spark_read (
    read_at, as_of, row_count, checksum, read_by, application, relation_name, column_names, log_ids, next_offsets)
select now() - %s * interval '1 hour', now(), 1, 2, session_user, '', 'config', '{a}', '{1}', '{1}'
from generate_series(1, %s)
"""


def test_a_user_leaves_at_most_10_000_receipts_a_day(connected: Connection) -> None:
    ImportedJob(connected, "one", coordinator=[config_set("a")])
    connected.execute(COPIES, (25, 10_000))
    connected.execute(COPIES, (23, 9_999))
    connected.execute(LEAVE, ([1], [1], "report"))
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="has left 10000 receipts within a day"):
        connected.execute(LEAVE, ([1], [1], "report"))
