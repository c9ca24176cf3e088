"""The life of startpoints, step by step, in recording A; ``tests/rules/startpoint_life.json`` has built cases."""

from collections import Counter
from typing import Final

import pytest

from eventlog.postgres.connection import Connection
from eventlog.startpoint import EXPIRY_MS, StartpointSpecific
from tests.builders import FIRST_TIME, startpoint
from tests.fixtures.acceptance import samza_answers as samza
from tests.fixtures.acceptance.imported_job import ImportedJob, Row
from tests.fixtures.acceptance.odd_jobs import import_recording_a

MINUTE: Final = 60_000
STEP: Final = "log_offset, status, system_name, stream_name, partition_id, task_name, startpoint_type, startpoint_value"
AT_THE_END: Final = samza.answers("end")["read_at_ms"]

#: offset, partition, task, type, value of each request of recording A, in its order
REQUESTED: Final[list[Row]] = [
    (97, "page-views", 0, None, "oldest", None),
    (98, "page-views", 1, None, "upcoming", None),
    (99, "page-views", 2, None, "specific", "5"),
    (100, "page-views", 3, None, "timestamp", "1700000007500"),
    (101, "page-views", 4, "Partition 4", "specific", "11"),
    (102, "page-views", 5, None, "oldest", None),
    (103, "page-views", 5, "Partition 5", "specific", "17"),
    (104, "page-views", 6, "Partition 6", "specific", "3"),
    (105, "page-views", 6, None, "timestamp", "1700000000000"),
    (106, "rules", 0, "Partition 7", "oldest", None),
    (107, "rules", 0, None, "oldest", None),
    (108, "gone", 0, None, "oldest", None),
    (109, "page-views", 7, "Partition 3", "upcoming", None),
    (110, "page-views", 7, None, "oldest", None),
    (111, "page-views", 7, None, "specific", "19"),
    (425, "page-views", 9, None, "specific", "2"),
    (426, "page-views", 12, "Partition 4", "timestamp", "1700000000001"),
]
#: offset of the request, offset of the step, and the step, of requests that were not fanned out
ENDED: Final = [
    (102, 191, "superseded"),
    (104, 194, "superseded"),
    (106, 193, "superseded"),
    (110, 111, "superseded"),
    (111, 112, "deleted"),
]
#: offset of the fan-out record and its task
FANNED_OUT: Final = {187: 1, 188: 0, 189: 3, 190: 2, 191: 5, 192: 4, 193: 7, 194: 6}
#: offset of the record that took the last startpoints from the task; of task 1 the first
CONSUMED: Final = {221: 1, 223: 3, 224: 5, 225: 7, 226: 6, 227: 0, 228: 2, 229: 4}
WINNERS: Final = {0: 97, 1: 98, 2: 99, 3: 100, 4: 101, 5: 103, 6: 105}


def life_of_recording_a() -> list[Row]:
    """What the recording's description lists, as rows."""
    requests = {row[0]: row[1:] for row in REQUESTED}
    steps = [(offset, "requested", *requests[offset]) for offset in requests]
    steps += [(step, status, *requests[offset]) for offset, step, status in ENDED]
    fanned_out = {task: [(0, "rules"), *([(task, "page-views")] if task in WINNERS else [])] for task in range(8)}
    for status, records in (("fanned_out", FANNED_OUT), ("consumed", CONSUMED | {234: 1})):
        for offset, task in records.items():
            for partition, stream in fanned_out[task]:
                if status == "consumed" and task == 1 and (stream == "rules") != (offset == 221):
                    continue
                winner = requests[107 if stream == "rules" else WINNERS[task]]
                steps.append((offset, status, stream, partition, f"Partition {task}", *winner[3:]))
    return sorted(((*step[:2], "kafka", *step[2:]) for step in steps), key=repr)


@pytest.fixture(scope="module")
def recording(database: Connection) -> ImportedJob:
    return import_recording_a(database)


def life(job: ImportedJob, at_ms: int = FIRST_TIME + MINUTE, columns: str = STEP) -> list[Row]:
    """The steps until a time, by offset."""
    return sorted(job.rows_as_of("startpoint_history", columns, at_ms), key=repr)


def test_the_life_of_recording_a(recording: ImportedJob) -> None:
    expected = life_of_recording_a()
    steps = Counter(row[1] for row in expected)
    assert steps == {"requested": 17, "superseded": 4, "deleted": 1, "fanned_out": 15, "consumed": 15}
    assert life(recording, AT_THE_END) == expected


def test_only_of_a_rewind_to_an_offset_is_known_what_was_read_again(recording: ImportedJob) -> None:
    unknown = "startpoint_type, coalesce(records_again, records_skipped) is null"
    rows = recording.rows("rewind", f"distinct {unknown}", "status = 'consumed'")
    assert rows == [("oldest", True), ("specific", False), ("timestamp", True), ("upcoming", True)]


@pytest.mark.parametrize("cut", ["1", "2", "3", "4"])
def test_as_of_an_earlier_time_the_steps_until_then(recording: ImportedJob, cut: str) -> None:
    said = samza.answers(cut)
    until = [row for row in life_of_recording_a() if row[0] < said["coordinator_end_offset"]]
    assert life(recording, said["read_at_ms"]) == until


def test_a_request_expires_twelve_hours_after_its_creation(database: Connection) -> None:
    request = startpoint("kafka.in.0", StartpointSpecific("7", FIRST_TIME))
    job = ImportedJob(database, "life-expired", coordinator=[request])
    assert job.rows_as_of("startpoint_history", "status", FIRST_TIME + EXPIRY_MS - 1) == [("requested",)]
    expires_at = "(extract(epoch from record_time) * 1000)::bigint"
    rows = job.rows_as_of("startpoint_history", f"log_offset, status, {expires_at}", FIRST_TIME + EXPIRY_MS)
    assert rows == [(0, "requested", FIRST_TIME), (None, "expired", FIRST_TIME + EXPIRY_MS)]
    assert job.rows("startpoint_history", f"log_offset, status, {expires_at}") == rows
