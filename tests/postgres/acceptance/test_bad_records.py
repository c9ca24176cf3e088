"""Bad records among good ones: the good ones are folded, the bad ones are quarantined, nothing is lost or delayed."""

from random import Random
from typing import Final

import pytest

from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from eventlog.streams import StreamKind
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    checkpoint_v2,
    config_deleted,
    config_set,
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
from tests.fixtures.acceptance.bad_records import ON_THE_CHECKPOINT_TOPIC, ON_THE_COORDINATOR_STREAM, Bad
from tests.fixtures.acceptance.imported_job import ImportedJob

EVERY_BAD: Final = [
    pytest.param(kind, bad, id=f"{kind} {bad.name}")
    for kind, all_bad in (("coordinator", ON_THE_COORDINATOR_STREAM), ("checkpoint", ON_THE_CHECKPOINT_TOPIC))
    for bad in all_bad
]


@pytest.mark.parametrize(("kind", "bad"), EVERY_BAD)
def test_t52_a_bad_record_among_good_ones_and_its_tombstone(database: Connection, kind: StreamKind, bad: Bad) -> None:
    job = ImportedJob(database, f"{kind}-{bad.name}")
    stream = job.coordinator_stream if kind == "coordinator" else job.checkpoint_stream
    good = [config_set("a", "1"), config_set("b", "2")]
    if kind == "checkpoint":
        good = [checkpoint_v1("t", {"kafka.in.0": "1"}), checkpoint_v1("t", {"kafka.in.0": "2"})]
    events = recorded([good[0], bad.event, good[1]])
    job.import_recorded(stream, events)
    assert job.quarantine() == [(1, bad.reason, False)]
    value = bad.event.value
    ((value_bytes, fingerprint),) = job.rows("quarantine", "value_bytes, value_fingerprint")
    assert value_bytes == (None if value is None else len(value))
    assert fingerprint == (None if value is None else job.settings.secrets.fingerprint(value))
    assert job.archived(stream)[1] == (1, bad.event.key, bad.event.value)
    assert job.next_offset(kind) == 3
    assert job.config() == ({"a": "1", "b": "2"} if kind == "coordinator" else {})
    assert job.checkpoint() == ({} if kind == "coordinator" else {("t", "kafka.in.0"): "2"})
    assert job.rows("other_message", "message_type") == []
    if bad.event.key is not None:  # in a later transaction, with the same bytes
        job.import_recorded(stream, [*events, *recorded([tombstone(bad.event)], first=3)])
        assert job.quarantine() == [(1, bad.reason, True)]


@pytest.mark.parametrize("batch_events", [1, 100])
def test_a_readable_value_resolves_and_an_unreadable_one_changes_no_current_row(
    database: Connection, batch_events: int
) -> None:
    garbage = [raw(config_set("k").key, b"garbage"), raw(config_set("k").key, b"[]")]
    events = [config_set("k", "1"), *garbage, config_set("k", "2"), garbage[0]]
    job = ImportedJob(database, f"readable-again-{batch_events}")
    for end in (3, 4, 5) if batch_events == 1 else (5,):
        job.import_recorded(job.coordinator_stream, recorded(events[:end]))
        assert job.config() == {"k": "1" if end == 3 else "2"}
    assert job.quarantine() == [(1, "not_json", True), (2, "wrong_type", True), (4, "not_json", False)]


def test_a_duplicate_partition_keeps_the_last_and_is_reported(database: Connection) -> None:
    value = b'{"checkpoint-id":"1-2","input-offsets":{"k.in.0":"1","k.in.0":"2"},"state-checkpoint-markers":{}}'
    config = [config_set("task.checkpoint.read.versions", "2")]
    job = ImportedJob(database, "twice", coordinator=config, checkpoints=[raw(checkpoint_v2("t").key, value)])
    assert job.checkpoint() == {("t", "k.in.0"): "2"}
    assert job.quarantine() == [(0, "duplicate_partition", False)]


def test_t51_a_record_without_key_and_value_is_counted_and_skipped(database: Connection) -> None:
    job = ImportedJob(database, "nothing", coordinator=[config_set("a", "1"), raw(None, None), config_set("b", "2")])
    assert job.quarantine() == []
    assert job.config() == {"a": "1", "b": "2"}
    assert job.next_offset("coordinator") == 3
    assert job.archived(job.coordinator_stream)[1] == (1, None, None)
    assert job.rows("event", "log_offset, message_type, operation") == [
        (0, "set-config", "set"),
        (1, None, "delete"),
        (2, "set-config", "set"),
    ]


def test_the_text_of_a_key_that_can_be_read_is_masked(database: Connection) -> None:
    key = "https://u:hunter2@host"
    job = ImportedJob(database, "masked-key", coordinator=[raw(coordinator_key("set-config", key), b"garbage")])
    assert job.rows("quarantine", "key_text") == [(job.settings.secrets.fingerprint(key),)]


def test_t28_a_mebibyte_lands_whole_in_every_kind_of_value(database: Connection) -> None:
    big = Random(1).randbytes(512 * 1024).hex()
    partitions = {f"kafka.{big[n : n + 2_500]}.{n}": big[n + 2_500 : n + 5_000] for n in range(0, 1_000_000, 5_000)}
    coordinator = [
        config_set("big", big),
        raw(coordinator_key("set-future", "big"), big.encode()),
        set_checkpoint("big", partitions),
        raw(coordinator_key("set-config", "bad"), b"\xff" + big.encode()),
    ]
    markers = {"demo.Factory": {"store": big}}
    checkpoints = [checkpoint_v1("v1", partitions), checkpoint_v2("v2", partitions, markers=markers)]
    coordinator.append(config_set("task.checkpoint.read.versions", "1,2"))
    job = ImportedJob(database, "big", coordinator=coordinator, checkpoints=checkpoints)
    assert job.config()["big"] == big
    assert job.rows("other_message", "message_value") == [(big,)]
    found = job.checkpoint()
    assert all(found[task, partition] == offset for task in ("v1", "v2") for partition, offset in partitions.items())
    assert len(found) == 2 * len(partitions)
    assert job.rows("state_checkpoint", "marker") == [(big,)]
    assert job.quarantine() == [(3, "not_utf8", False)]
    assert job.archived(job.coordinator_stream)[3][2] == b"\xff" + big.encode()


def test_keys_of_three_thousand_random_bytes_land(database: Connection) -> None:
    long = Random(2).randbytes(1500).hex()
    coordinator = [
        config_set(long, "1"),
        config_set(f"{long}+", "2"),
        raw(coordinator_key("set-future", long), b"{}"),
        raw(coordinator_key(long, "k"), b"{}"),
        task_container(long, "7"),
        task_partition(f"kafka.{long}.0", long),
        startpoint(f"kafka.{long}.0.{long}", StartpointOldest(FIRST_TIME)),
        fan_out(long, {f"kafka.{long}.1": StartpointSpecific("5", FIRST_TIME)}),
        raw(long.encode(), b"{}"),
    ]
    job = ImportedJob(database, "long-keys", coordinator=coordinator, checkpoints=[checkpoint_v1(long)])
    assert job.config() == {long: "1", f"{long}+": "2"}
    assert job.rows("other_message", "message_type, message_key") == sorted([("set-future", long), (long, "k")])
    assert job.rows("task_container", "task_name, container_id") == [(long, "7")]
    assert job.rows("task_partition", "stream_name, task_name") == [(long, long)]
    assert job.rows("startpoint", "stream_name, task_name, is_ambiguous") == [(long, long, False)]
    assert job.rows("startpoint_fan_out", "task_name, stream_name, startpoint_value") == [(long, long, "5")]
    assert job.checkpoint() == {(long, "kafka.in.0"): "1"}
    assert job.quarantine() == [(8, "not_json", False)]
    job.import_recorded(
        job.coordinator_stream, [*recorded(coordinator), *recorded([config_deleted(long)], first=len(coordinator))]
    )
    assert job.config() == {f"{long}+": "2"}
