"""Jobs that hold whatever may stand on a log, good and bad: what is claimed of all rows is tried on them."""

from datetime import timedelta
from typing import Final

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from eventlog.system_admin import PartitionBounds
from projections.input_bounds import BoundsOfSystem, input_partitions, store_bounds
from projections.job_choice import Job
from projections.tracked_logs import Observation, logs_of, write_observations
from tests.acceptance import samza_answers as samza
from tests.acceptance.bad_records import ON_THE_CHECKPOINT_TOPIC, ON_THE_COORDINATOR_STREAM
from tests.acceptance.imported_job import IMPORTED_AT, ImportedJob, import_events
from tests.builders import (
    FIRST_TIME,
    KAFKA_BACKEND,
    changelog_set,
    checkpoint_v1,
    checkpoint_v2,
    config_deleted,
    config_set,
    container_host,
    coordinator_key,
    fan_out,
    raw,
    recorded,
    set_checkpoint,
    startpoint,
    task_container,
    task_partition,
    tombstone,
)
from tests.properties.generated_jobs import generate_job

GENERATED_JOBS: Final = 60
NEVER_HELD: Final = 2**63 - 1
"""A time in ms that timestamptz can't hold."""


def import_recording_a(connection: Connection) -> ImportedJob:
    """The recorded job, both of its streams."""
    job = ImportedJob(connection, "wordcount_pv")
    job.import_recorded(job.coordinator_stream, samza.recorded_stream("coordinator"))
    job.import_recorded(job.checkpoint_stream, samza.recorded_stream("checkpoint"))
    return job


def observe_inputs_of_recording_a(connection: Connection) -> None:
    """Observe one partition of the recorded job's inputs, and fail to observe the others."""
    job, bounds = Job("wordcount_pv", "1"), PartitionBounds("page-views", 3, 0, 40, FIRST_TIME)
    wanted = input_partitions(connection, [job])[job]
    store_bounds(connection, *job, wanted, [BoundsOfSystem("kafka", [bounds])], IMPORTED_AT)


def import_odd_jobs(connection: Connection) -> None:
    """Made-up jobs and hand-made ones: what anybody may find on a log."""
    for number in range(GENERATED_JOBS):
        for log in generate_job(number).logs:
            import_events(connection, log.stream_name, log.events)
    import_hand_made_jobs(connection)


def import_hand_made_jobs(connection: Connection) -> None:
    """Bad records, unusual times and keys, deletes, set-checkpoint, a log with several incarnations and gaps."""
    bad = [bad.event for bad in ON_THE_COORDINATOR_STREAM], [bad.event for bad in ON_THE_CHECKPOINT_TOPIC]
    ImportedJob(connection, "bad", coordinator=bad[0], checkpoints=bad[1])
    good = _one_of_each()
    ImportedJob(
        connection, "deleted", coordinator=[*good, *map(tombstone, good), *good[:3]], checkpoints=_checkpoints()
    )
    old_checkpoints = [set_checkpoint(f"t{n}", {"kafka.in.0": None, "kafka.in.1": str(n)}) for n in range(40)]
    ImportedJob(connection, "seed-000", coordinator=[*good, *old_checkpoints])
    ImportedJob(connection, "odd-times", coordinator=[event._replace(timestamp=NEVER_HELD) for event in good])
    ImportedJob(connection, "only-checkpoints", checkpoints=_checkpoints())
    _import_several_pasts(connection)


def _one_of_each() -> list[NewEvent]:
    return [
        config_set("task.checkpoint.read.versions", "2,1"),
        config_set("db.password", "secret"),
        config_set("empty", ""),
        changelog_set("t", 3),
        container_host("0"),
        raw(coordinator_key("set-container-host-assignment", "1"), b'{"values":{"host":"h"}}'),
        raw(coordinator_key("set-execution-env-container-id-mapping", "0"), b'{"values":{"execEnvContainerId":"c_0"}}'),
        raw(coordinator_key("set-task-mode-assignment", "t"), b'{"values":{"taskMode":"Active"}}'),
        raw(coordinator_key("set-job-coordinator-metadata", "YARN"), b'{"values":{"epoch-id":"1"}}'),
        raw(coordinator_key("set-job-coordinator-metadata", "K8S"), b'{"values":{}}'),
        task_container("t", "0"),
        task_partition("kafka.in.0", "t", "u"),
        task_partition("kafka.in.0", "t", key_bucket=1),
        raw(task_partition("kafka.in.1").key, b'{"values":{"taskNames":"[]"}}'),
        startpoint("kafka.in.0", StartpointSpecific("7", FIRST_TIME)),
        startpoint("kafka.in.0.t", StartpointOldest(NEVER_HELD)),
        startpoint("kafka.in.1.2", StartpointOldest(FIRST_TIME)),
        fan_out("t", {"kafka.in.0": StartpointOldest(NEVER_HELD)}, timestamp=NEVER_HELD),
        raw(coordinator_key("set-future", "k"), b"any text"),
        raw(coordinator_key("checkpoint-v9", "k"), b"of the same type and key as on the checkpoint topic"),
    ]


def _checkpoints() -> list[NewEvent]:
    markers = {KAFKA_BACKEND: {"s": "no changelog of Kafka's"}, "demo.Blobs": {"s": "blob-1"}}
    offsets = {"kafka.in.1": "not a number", "kafka.in.2": "9" * 30}
    more = {"kafka.in.0": None, "kafka.one-changelog.0": "1-2:3", "kafka.another-changelog.0": "1-2:4"}
    return [
        checkpoint_v1("t", offsets | more),
        checkpoint_v2("t", offsets, markers=markers),
        checkpoint_v2("empty", {}),
        checkpoint_v1("other grouper", grouper="demo.Grouper"),
        tombstone(checkpoint_v1("gone")),
        raw(b'{"type":"checkpoint-v9","taskName":"k"}', b"{}"),
    ]


def _import_several_pasts(connection: Connection) -> None:
    job = ImportedJob(
        connection, "pasts", coordinator=[config_set("a", "1"), config_set("b", "2"), config_deleted("a")]
    )
    with_holes = [recorded([config_set("a", str(first))], first=first) for first in range(0, 90, 3)]
    job.import_recorded(job.coordinator_stream, [event for (event,) in with_holes])
    newest, oldest = logs_of(connection, job.coordinator_stream)
    later = IMPORTED_AT + timedelta(hours=1)
    write_observations(connection, oldest.log_id, [Observation(2, "truncated", from_offset=1, to_offset=2)], later)
    lost = [Observation(87, "recreated", from_offset=88), Observation(87, "gap", None, 100, 129)]
    write_observations(connection, newest.log_id, lost, later)
