"""The life of startpoints, step by step: in recording A, and in cases built for each step."""

from collections import Counter
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.startpoint import (
    EXPIRY_MS,
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.wire.checkpoint_topic import encode_v1
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    checkpoint_v2,
    fan_out,
    recorded,
    set_checkpoint,
    startpoint,
    task_partition,
    tombstone,
)
from tests.fixtures.acceptance import samza_answers as samza
from tests.fixtures.acceptance.imported_job import ImportedJob, Row

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
    job = ImportedJob(database, "wordcount_pv")
    job.import_recorded(job.coordinator_stream, samza.recorded_stream("coordinator"))
    job.import_recorded(job.checkpoint_stream, samza.recorded_stream("checkpoint"))
    return job


def life(job: ImportedJob, at_ms: int = FIRST_TIME + MINUTE, columns: str = STEP) -> list[Row]:
    """The steps until a time, by offset."""
    return sorted(job.rows_as_of("startpoint_history", columns, at_ms), key=repr)


def told(job: ImportedJob, at_ms: int = FIRST_TIME + MINUTE) -> list[Row]:
    """Offset, step, partition, task, value: by offset, what has none last."""
    return job.rows_as_of("startpoint_history", "log_offset, status, partition_id, task_name, startpoint_value", at_ms)


def test_the_life_of_recording_a(recording: ImportedJob) -> None:
    expected = life_of_recording_a()
    steps = Counter(row[1] for row in expected)
    assert steps == {"requested": 17, "superseded": 4, "deleted": 1, "fanned_out": 15, "consumed": 15}
    assert life(recording, AT_THE_END) == expected


@pytest.mark.parametrize("cut", ["1", "2", "3", "4"])
def test_as_of_an_earlier_time_the_steps_until_then(recording: ImportedJob, cut: str) -> None:
    said = samza.answers(cut)
    until = [row for row in life_of_recording_a() if row[0] < said["coordinator_end_offset"]]
    assert life(recording, said["read_at_ms"]) == until


def fanned_out_and_removed(
    database: Connection,
    name: str,
    fanned_out: Startpoint,
    old: str | None,
    new: str | None,
    *,
    partition: str = "kafka.in.0",
) -> list[str]:
    """The steps after a startpoint was fanned out to a task whose checkpoint changed from one offset to another."""
    before = [] if old is None else [checkpoint_v1("t", {"kafka.in.0": old}, at=FIRST_TIME)]
    after = [] if new is None else [checkpoint_v1("t", {partition: new}, at=FIRST_TIME + 5 * MINUTE)]
    events = [
        fan_out("t", {"kafka.in.0": fanned_out}, timestamp=FIRST_TIME + MINUTE),
        tombstone(fan_out("t", {})),
    ]
    job = ImportedJob(database, name, checkpoints=[*before, *after])
    job.import_recorded(job.coordinator_stream, recorded(events, at=FIRST_TIME + MINUTE, step=4 * MINUTE))
    return [row[1] for row in told(job, FIRST_TIME + 10 * MINUTE)]


CREATED: Final = FIRST_TIME - MINUTE
BACK: Final = StartpointSpecific("7", CREATED)
AHEAD: Final = StartpointSpecific("90", CREATED)


@pytest.mark.parametrize(
    ("fanned_out", "old", "new", "status"),
    [
        (BACK, "41", "9", "consumed"),
        (BACK, "41", "41", "consumed"),  # only what was read again can end where it ended before
        (BACK, "41", "42", "refused"),
        (BACK, "41", "75", "refused"),
        (
            BACK,
            "41",
            "76",
            "consumed",
        ),  # as many new as repeated messages: the task may have read beyond the old position
        (StartpointSpecific("41", CREATED), "41", "42", "consumed"),
        (BACK, None, "42", "consumed"),  # there is no old place
        (BACK, "41", "x", "consumed"),
        (StartpointSpecific("x", CREATED), "41", "42", "refused"),
        (StartpointSpecific("42", CREATED), "41", "44", "consumed"),  # the old place is where it points to
        (AHEAD, "41", "44", "refused"),
        (AHEAD, "41", "90", "consumed"),
        (AHEAD, "41", "95", "consumed"),
        (AHEAD, "41", "12", "consumed"),  # not where it points to, but not the old place either
        (StartpointOldest(CREATED), "41", "3", "consumed"),
        (StartpointOldest(CREATED), "41", "42", "refused"),
        (StartpointOldest(CREATED), "41", "83", "consumed"),
        (StartpointOldest(CREATED), "-1", str(2**63 - 1), "consumed"),
        (StartpointTimestamp(CREATED, CREATED), "41", "3", "consumed"),
        (StartpointTimestamp(CREATED, CREATED), "41", "42", "refused"),
        (StartpointTimestamp(FIRST_TIME + MINUTE, CREATED), "41", "60", "consumed"),  # of events after the old place
        (StartpointUpcoming(CREATED), "41", "60", "consumed"),
    ],
)
def test_checkpoints_distinguish_consumed_and_refused(
    database: Connection, fanned_out: Startpoint, old: str | None, new: str, status: str
) -> None:
    name = f"life-{fanned_out.kind}-{fanned_out.value}-{old}-{new}"
    assert fanned_out_and_removed(database, name, fanned_out, old, new) == ["fanned_out", status]


def test_a_startpoint_deleted_before_the_next_checkpoint_of_its_partition(database: Connection) -> None:
    assert fanned_out_and_removed(database, "life-no-checkpoint", BACK, "41", None) == ["fanned_out", "deleted"]
    other = fanned_out_and_removed(database, "life-other-partition", BACK, "41", "9", partition="kafka.in.1")
    assert other == ["fanned_out", "deleted"]
    assert fanned_out_and_removed(database, "life-nothing-known", BACK, None, None) == ["fanned_out", "consumed"]


def test_checkpoints_of_the_coordinator_stream_count_by_their_place(database: Connection) -> None:
    events = [
        set_checkpoint("t", {"kafka.in.0": "41"}),
        fan_out("t", {"kafka.in.0": BACK}),
        set_checkpoint("t", {"kafka.in.0": "42"}),
        tombstone(fan_out("t", {})),
        fan_out("t", {"kafka.in.0": StartpointSpecific("8", FIRST_TIME)}),
        set_checkpoint("t", {"kafka.in.0": "10"}),
        tombstone(fan_out("t", {})),
    ]
    job = ImportedJob(database, "life-seed-000", coordinator=events)
    assert [row[:2] for row in told(job)] == [(1, "fanned_out"), (3, "refused"), (4, "fanned_out"), (6, "consumed")]


def test_the_checkpoint_of_a_container_whose_clock_lags_behind_the_logs(database: Connection) -> None:
    checkpoints = [
        checkpoint_v1("t", {"kafka.in.0": "41"}, at=FIRST_TIME),
        checkpoint_v1("u", {"kafka.in.1": "1"}, at=FIRST_TIME + 8 * MINUTE),
        checkpoint_v1("t", {"kafka.in.0": "9"}, at=FIRST_TIME + 2 * MINUTE),
        checkpoint_v2("t", {"kafka.in.0": "9"}, at=FIRST_TIME + 4 * MINUTE),
    ]
    job = ImportedJob(database, "life-clocks", checkpoints=checkpoints)
    events = [fan_out("t", {"kafka.in.0": BACK}, timestamp=FIRST_TIME + MINUTE), tombstone(fan_out("t", {}))]
    job.import_recorded(job.coordinator_stream, recorded(events, at=FIRST_TIME + MINUTE, step=2 * MINUTE))
    assert [row[1] for row in told(job, FIRST_TIME + 10 * MINUTE)] == ["fanned_out", "consumed"]


def test_the_checkpoints_of_a_key_bucket_are_those_of_its_partition(database: Connection) -> None:
    events = [
        task_partition("kafka.in.0", "t", key_bucket=1),
        startpoint("kafka.in.0", BACK),
        fan_out("t", {"kafka.in.0": BACK}),
        tombstone(startpoint("kafka.in.0", BACK)),
        tombstone(fan_out("t", {})),
    ]
    job = ImportedJob(database, "life-bucket")
    job.import_recorded(job.coordinator_stream, recorded(events, step=MINUTE))
    offsets = [{SystemStreamPartition("kafka", "in", 0, 1): offset} for offset in ("50", "9")]
    commits = [checkpoint_v1("t")._replace(value=encode_v1(CheckpointV1(each))) for each in offsets]
    job.import_recorded(job.checkpoint_stream, recorded(commits, step=3 * MINUTE))
    steps = [row[1] for row in told(job, FIRST_TIME + 10 * MINUTE)]
    assert steps == ["requested", "fanned_out", "consumed"]
    assert job.rows("anomaly", "anomaly") == []


def test_a_request_expires_twelve_hours_after_its_creation(database: Connection) -> None:
    request = startpoint("kafka.in.0", BACK)
    job = ImportedJob(database, "life-expired", coordinator=[request])
    assert [row[1] for row in told(job, CREATED + EXPIRY_MS - 1)] == ["requested"]
    expires_at = "(extract(epoch from record_time) * 1000)::bigint"
    rows = job.rows_as_of("startpoint_history", f"log_offset, status, {expires_at}", CREATED + EXPIRY_MS)
    assert rows == [(0, "requested", FIRST_TIME), (None, "expired", CREATED + EXPIRY_MS)]
    assert job.rows("startpoint_history", f"log_offset, status, {expires_at}") == rows


def test_what_is_deleted_or_overwritten_in_time_does_not_expire_and_later_it_has(database: Connection) -> None:
    late = FIRST_TIME + EXPIRY_MS + MINUTE
    events = [
        startpoint("kafka.in.0", BACK),
        tombstone(startpoint("kafka.in.0", BACK)),
        startpoint("kafka.in.1", BACK),
        startpoint("kafka.in.1", StartpointOldest(late), at=late),
    ]
    job = ImportedJob(database, "life-late", coordinator=events)
    assert [row[:3] for row in told(job, late + MINUTE)] == [
        (0, "requested", 0),
        (1, "deleted", 0),
        (2, "requested", 1),
        (3, "requested", 1),
        (3, "superseded", 1),
        (None, "expired", 1),
    ]


def test_a_request_for_every_task_may_win_here_and_lose_there(database: Connection) -> None:
    wide = StartpointSpecific("1", FIRST_TIME)
    older, newer = StartpointSpecific("2", FIRST_TIME - 1), StartpointSpecific("3", FIRST_TIME + 1)
    requests = [
        startpoint("kafka.in.0", wide),
        startpoint("kafka.in.0.t", older),
        startpoint("kafka.in.0.u", newer),
    ]
    events = [
        *requests,
        fan_out("t", {"kafka.in.0": wide}),
        fan_out("u", {"kafka.in.0": newer}),
        *map(tombstone, requests),
    ]
    job = ImportedJob(database, "life-broadcast", coordinator=events)
    assert told(job)[3:] == [
        (3, "fanned_out", 0, "t", "1"),
        (3, "superseded", 0, "t", "2"),
        (4, "fanned_out", 0, "u", "3"),
    ]


def test_a_new_fan_out_of_a_task_replaces_its_old_one(database: Connection) -> None:
    events = [
        fan_out("t", {"kafka.in.0": BACK, "kafka.in.1": BACK}),
        fan_out("t", {"kafka.in.1": AHEAD}, timestamp=FIRST_TIME + 1),
        fan_out("t", {"kafka.in.1": AHEAD}, timestamp=FIRST_TIME + 1),
    ]
    job = ImportedJob(database, "life-replaced", coordinator=events)
    assert told(job) == [
        (0, "fanned_out", 0, "t", "7"),
        (0, "fanned_out", 1, "t", "7"),
        (1, "fanned_out", 1, "t", "90"),
        (1, "superseded", 0, "t", "7"),
        (1, "superseded", 1, "t", "7"),
    ]


def test_an_ambiguous_request_is_settled_by_the_assignments_known_when_it_ended(database: Connection) -> None:
    request = startpoint("k.s.1.2", BACK)
    settled = [request, task_partition("k.s.1", "2"), fan_out("2", {"k.s.1": BACK}), tombstone(request)]
    job = ImportedJob(database, "life-settled", coordinator=[*settled, tombstone(task_partition("k.s.1", "2"))])
    columns = "log_offset, status, stream_name, partition_id, task_name"
    expected = [(0, "requested", "s", 1, "2"), (2, "fanned_out", "s", 1, "2")]
    assert job.rows_as_of("startpoint_history", columns, FIRST_TIME + MINUTE) == expected
    unsettled = ImportedJob(database, "life-ambiguous", coordinator=[request, fan_out("2", {"k.s.1": AHEAD})])
    rows = unsettled.rows_as_of("startpoint_history", columns, FIRST_TIME + MINUTE)
    assert rows == [(0, "requested", "s.1", 2, None), (1, "fanned_out", "s", 1, "2")]
