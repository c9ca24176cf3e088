"""What broke readers of Samza's two topics, a test a trap, named by its id (T01 to T24)."""

from typing import Final

import pytest

from eventlog.postgres.connection import Connection
from eventlog.startpoint import (
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from tests.acceptance.imported_job import ImportedJob
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    checkpoint_v2,
    config_set,
    container_host,
    coordinator_key,
    fan_out,
    raw,
    recorded,
    set_checkpoint,
    startpoint,
    task_partition,
    tombstone,
)

MINUTE: Final = 60_000


def test_t01_a_job_with_only_a_checkpoint_topic(database: Connection) -> None:
    job = ImportedJob(database, "t01-only", checkpoints=[checkpoint_v1("t", {"kafka.in.0": "5"})])
    assert job.rows("checkpoint", "task_name, input_offset, origin") == [("t", "5", "checkpoint-topic")]
    assert job.rows("job", "coordinator_stream, checkpoint_stream, task_count") == [(None, job.checkpoint_stream, 1)]


def test_t01_the_checkpoint_topic_goes_before_set_checkpoint(database: Connection) -> None:
    legacy = [set_checkpoint("t", {"kafka.in.0": "1"}), set_checkpoint("other", {"kafka.in.0": "2"})]
    job = ImportedJob(database, "t01", coordinator=legacy)
    assert job.checkpoint() == {("t", "kafka.in.0"): "1", ("other", "kafka.in.0"): "2"}
    job.import_recorded(job.checkpoint_stream, recorded([checkpoint_v1("t", {"kafka.in.0": "9"})]))
    assert job.checkpoint() == {("t", "kafka.in.0"): "9"}
    assert job.rows("checkpoint_history", "stream_kind, log_offset, origin, is_preferred") == [
        ("checkpoint", 0, "checkpoint-topic", True),
        ("coordinator", 0, "coordinator-stream", False),
        ("coordinator", 1, "coordinator-stream", False),
    ]


def test_t02_both_spellings_are_read_and_that_of_the_code_goes_first(database: Connection) -> None:
    values = {"a": b'{"Partition":"1","partition":"2"}', "b": b'{"partition":"3"}'}
    hosts = {"0": b'{"host":"of-the-code","hostname":"of-the-docs"}', "1": b'{"hostname":"of-the-docs"}'}
    events = [raw(coordinator_key("set-changelog", k), b'{"values":%s}' % v) for k, v in values.items()]
    key = "set-container-host-assignment"
    events += [raw(coordinator_key(key, k), b'{"values":%s}' % v) for k, v in hosts.items()]
    job = ImportedJob(database, "t02", coordinator=events)
    assert job.rows("changelog_mapping", "task_name, changelog_partition") == [("a", 1), ("b", 3)]
    assert job.rows("container_host", "container_id, host_name") == [("0", "of-the-code"), ("1", "of-the-docs")]


@pytest.mark.parametrize("value", [None, b'{"values":{"value":null}}', b'{"values":{}}'])
def test_t03_every_kind_of_delete_removes_the_row_and_appears_in_history(
    database: Connection, value: bytes | None
) -> None:
    events = [config_set("a", "1"), raw(config_set("a").key, value)]
    job = ImportedJob(database, f"t03-{value!r}".replace("'", ""), coordinator=events)
    assert job.config() == {}
    assert job.rows("config_history", "log_offset, operation, config_value") == [(0, "set", "1"), (1, "delete", None)]
    tombstones = job.rows("event", "log_offset, operation, value_bytes", "log_offset = 1")
    assert tombstones == [(1, "delete", None)] if value is None else [(1, "set", len(value))]
    assert job.quarantine() == []


def test_t04_an_empty_string_is_a_value(database: Connection) -> None:
    job = ImportedJob(database, "t04", coordinator=[config_set("a", "1"), config_set("a", ""), container_host("0", "")])
    assert job.config() == {"a": ""}
    assert job.rows("container_host", "container_id, host_name") == [("0", "")]


def test_t06_a_partition_with_and_without_key_bucket_is_one_row(database: Connection) -> None:
    older = b'{"values":{"taskNames":"[\\"old\\"]"}}'
    old_key = '{"stream":"in","system":"kafka","partition":0}'
    events = [
        raw(coordinator_key("set-task-partition-assignment", old_key), older),
        task_partition("kafka.in.0", "new"),
        task_partition("kafka.in.0", "bucketed", key_bucket=1),
    ]
    job = ImportedJob(database, "t06", coordinator=events)
    assert job.rows("task_partition", "partition_id, key_bucket, task_name") == [(0, -1, "new"), (0, 1, "bucketed")]
    job.import_recorded(job.coordinator_stream, recorded([*events, tombstone(events[1])]))
    # the newest that lives shows: compaction keeps the older spelling, and Samza would read it again
    assert job.rows("task_partition", "partition_id, key_bucket, task_name") == [(0, -1, "old"), (0, 1, "bucketed")]


def test_t07_records_without_an_envelope(database: Connection) -> None:
    events = [
        startpoint("kafka.in.0", StartpointTimestamp(5, FIRST_TIME)),
        fan_out("t", {"kafka.in.1": StartpointUpcoming(FIRST_TIME)}),
        raw(coordinator_key("samza-drain-v1", "k"), b"{}"),
    ]
    job = ImportedJob(database, "t07", coordinator=events)
    nobody = "source is null and host is null and username is null and message_time is null"
    for relation in ("startpoint", "startpoint_fan_out", "other_message"):
        assert job.rows(relation, nobody) == [(True,)]
    assert job.rows("startpoint", "startpoint_type, startpoint_value") == [("timestamp", "5")]


def test_t08_a_dotted_stream_is_read_rightly(database: Connection) -> None:
    config = config_set("task.checkpoint.read.versions", "2")
    events = [config, fan_out("t", {"kafka.a.b.5.0": StartpointOldest(FIRST_TIME)})]
    checkpoints = [checkpoint_v2("t", {"kafka.a.5.3": "9"})]
    job = ImportedJob(database, "t08", coordinator=events, checkpoints=checkpoints)
    columns = "system_name, stream_name, partition_id"
    assert job.rows("startpoint_fan_out", columns) == [("kafka", "a.b.5", 0)]
    assert job.rows("checkpoint", f"{columns}, input_offset") == [("kafka", "a.5", 3, "9")]


@pytest.mark.parametrize("versions", ["2,1,", "2,1 , ,"])
def test_read_versions_may_end_with_empty_items(database: Connection, versions: str) -> None:
    """Java's ``split``, with which Samza reads the list, drops them."""
    both = [checkpoint_v2("t", at=FIRST_TIME), checkpoint_v1("t", at=FIRST_TIME)]
    config = [config_set("task.checkpoint.read.versions", versions)]
    job = ImportedJob(database, f"list{len(versions)}", coordinator=config, checkpoints=both)
    assert job.rows("checkpoint", "checkpoint_version") == [(2,)]


@pytest.mark.parametrize(("max_age", "version"), [("-1", 1), ("+0", 2), ("10m", 2), (str(-(2**63)), 1)])
def test_the_age_of_a_live_checkpoint_is_read_as_samza_reads_it(
    database: Connection, max_age: str, version: int
) -> None:
    """It may have a sign. If it is not an integer, Samza fails, and the relations use the default."""
    config = [config_set("task.checkpoint.read.versions", "2,1"), config_set("task.live.checkpoint.max.age", max_age)]
    both = [checkpoint_v2("t", at=FIRST_TIME), checkpoint_v1("t", at=FIRST_TIME)]
    job = ImportedJob(database, f"age{max_age}", coordinator=config, checkpoints=both)
    assert job.rows("checkpoint", "checkpoint_version") == [(version,)]


def test_t22_null_offsets_are_legal(database: Connection) -> None:
    config = [config_set("stores.s.changelog", "kafka.changes")]
    offsets = {"kafka.in.0": None, "kafka.changes.0": f"{FIRST_TIME}-7:null", "kafka.bare.1": "3"}
    older = {"kafka.in.0": "1", "kafka.changes.0": None}
    checkpoints = [checkpoint_v1("new", offsets), checkpoint_v1("old", older)]
    job = ImportedJob(database, "t22", coordinator=config, checkpoints=checkpoints)
    assert job.rows("checkpoint", "task_name, stream_name, input_offset, input_offset_number") == [
        ("new", "bare", "3", 3),
        ("new", "in", None, None),
        ("old", "in", "1", 1),
    ]
    state = "task_name, store_name, changelog_stream, changelog_offset, checkpoint_id"
    assert job.rows("state_checkpoint", state) == [
        ("new", "s", "changes", None, f"{FIRST_TIME}-7"),
        ("old", "s", "changes", None, None),
    ]


def test_t24_a_jobs_name_comes_from_its_config(database: Connection) -> None:
    job = ImportedJob(database, "t24_a_b", coordinator=[config_set("k", "v")], checkpoints=[checkpoint_v1("t")])
    assert job.coordinator_stream == "__samza_coordinator_t24-a-b_1"
    assert job.rows("job", "job_name") == []
    events = [config_set("k", "v"), config_set("job.name", "t24_a_b")]
    job.import_recorded(job.coordinator_stream, recorded(events))
    streams = (job.coordinator_stream, job.checkpoint_stream)
    assert job.rows("job", "job_name, coordinator_stream, checkpoint_stream") == [("t24_a_b", *streams)]
    assert job.checkpoint() == {("t", "kafka.in.0"): "1"}


def test_a_value_without_bytes_deletes_a_startpoint(database: Connection) -> None:
    """As Samza's StartpointManager reads it."""
    request = startpoint("kafka.in.0", StartpointSpecific("7", FIRST_TIME))
    fanned_out = fan_out("t", {"kafka.in.0": StartpointSpecific("8", FIRST_TIME)})
    events = [request, fanned_out, *(event._replace(value=b"") for event in (request, fanned_out))]
    job = ImportedJob(database, "no-bytes", coordinator=events)
    assert [job.rows(relation, "1") for relation in ("startpoint", "startpoint_fan_out")] == [[], []]
    assert job.quarantine() == []
