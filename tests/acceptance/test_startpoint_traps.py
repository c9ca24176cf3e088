"""What broke systems like this one around startpoints, a test a trap, named by its id (T10 to T14)."""

from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.startpoint import (
    EXPIRY_MS,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
)
from tests.acceptance.imported_job import ImportedJob
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    config_set,
    fan_out,
    startpoint,
    task_partition,
    tombstone,
)

MINUTE: Final = 60_000
KAFKA: Final = config_set("systems.kafka.samza.factory", "org.apache.samza.system.kafka.KafkaSystemFactory")
DECIDED: Final = "task_name, partition_id, decided_by, startpoint_type, startpoint_value, starting_offset"


def test_t10_between_fan_out_and_delete_both_states_show(database: Connection) -> None:
    request = startpoint("kafka.in.0", StartpointSpecific("7", FIRST_TIME))
    steps = [request, fan_out("t", {"kafka.in.0": StartpointSpecific("7", FIRST_TIME)}), tombstone(request)]
    job = ImportedJob(database, "t10", coordinator=steps)
    shown = [
        tuple(len(job.rows_as_of_offset(relation, "1", offset)) for relation in ("startpoint", "startpoint_fan_out"))
        for offset in range(3)
    ]
    assert shown == [(1, 0), (1, 1), (0, 1)]


def test_a_value_without_bytes_deletes_a_startpoint(database: Connection) -> None:
    """As Samza's StartpointManager reads it."""
    request = startpoint("kafka.in.0", StartpointSpecific("7", FIRST_TIME))
    fanned_out = fan_out("t", {"kafka.in.0": StartpointSpecific("8", FIRST_TIME)})
    events = [request, fanned_out, *(event._replace(value=b"") for event in (request, fanned_out))]
    job = ImportedJob(database, "no-bytes", coordinator=events)
    assert [job.rows(relation, "1") for relation in ("startpoint", "startpoint_fan_out")] == [[], []]
    assert job.quarantine() == []


def test_t11_expiry_is_judged_at_read_and_a_fan_out_never_expires(database: Connection) -> None:
    events = [
        KAFKA,
        task_partition("kafka.in.0", "t"),
        startpoint("kafka.in.0", StartpointSpecific("7", FIRST_TIME)),
        task_partition("kafka.in.1", "u"),
        fan_out("u", {"kafka.in.1": StartpointSpecific("8", FIRST_TIME)}),
    ]
    job = ImportedJob(database, "t11", coordinator=events)
    last_moment = FIRST_TIME + EXPIRY_MS - 1
    assert job.rows_as_of("startpoint", "is_expired", last_moment) == [(False,)]
    assert job.rows_as_of("startpoint", "is_expired", last_moment + 1) == [(True,)]
    decided = "task_name, decided_by, starting_offset, ignored_reason"
    assert job.rows_as_of("starting_offset", decided, last_moment) == [
        ("t", "startpoint", "7", None),
        ("u", "startpoint", "8", None),
    ]
    assert job.rows_as_of("starting_offset", decided, last_moment + 1) == [
        ("t", "default", None, "expired"),
        ("u", "startpoint", "8", None),
    ]


def test_t12_the_latest_creation_time_wins_whatever_the_order_on_the_log(database: Connection) -> None:
    wide = StartpointSpecific("1", FIRST_TIME + 10 * MINUTE)  # of a writer whose clock is 10 minutes ahead
    with_task = StartpointSpecific("2", FIRST_TIME)
    tie = StartpointSpecific("3", FIRST_TIME)
    events = [
        task_partition("kafka.in.0", "t"),
        startpoint("kafka.in.0", wide),
        startpoint("kafka.in.0.t", with_task),
        task_partition("kafka.in.1", "t"),
        startpoint("kafka.in.1.t", with_task),
        startpoint("kafka.in.1", tie),
    ]
    job = ImportedJob(database, "t12", coordinator=events)
    rows = job.rows_as_of("starting_offset", "partition_id, starting_offset, ignored_reason", FIRST_TIME + MINUTE)
    assert rows == [(0, "1", "older"), (1, "2", "older")]


def test_t13_a_startpoint_of_a_quiet_partition_stays(database: Connection) -> None:
    oldest = StartpointOldest(FIRST_TIME)
    partitions = ["kafka.in.0", "kafka.in.1"]
    events = [
        KAFKA,
        *(task_partition(partition, "t") for partition in partitions),
        fan_out("t", dict.fromkeys(partitions, oldest)),
        fan_out("t", {"kafka.in.1": oldest}),  # partition 0 was committed, 1 is quiet
    ]
    job = ImportedJob(database, "t13", coordinator=events, checkpoints=[checkpoint_v1("t", {"kafka.in.0": "41"})])
    assert job.rows_as_of("starting_offset", DECIDED, FIRST_TIME + MINUTE) == [
        ("t", 0, "checkpoint", None, None, "42"),
        ("t", 1, "startpoint", "oldest", None, None),
    ]


def test_t14_a_startpoint_that_only_the_input_can_resolve_names_no_offset(database: Connection) -> None:
    events = [
        KAFKA,
        task_partition("kafka.in.0", "t"),
        fan_out("t", {"kafka.in.0": StartpointTimestamp(5, FIRST_TIME)}),
    ]
    job = ImportedJob(database, "t14", coordinator=events, checkpoints=[checkpoint_v1("t", {"kafka.in.0": "41"})])
    assert job.rows_as_of("starting_offset", f"{DECIDED}, checkpoint_log_offset", FIRST_TIME + MINUTE) == [
        ("t", 0, "startpoint", "timestamp", "5", None, 0)
    ]
