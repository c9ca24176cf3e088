"""Changelogs of stores, on a real broker."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import pytest
from kafka import KafkaProducer

from eventlog.events import NewEvent
from eventlog.kafka import client as client_module
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.client import Connected
from eventlog.kafka.options import KafkaOptions
from eventlog.log import AppendRefused
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable, StreamUnavailable
from eventlog.system_admin import Change, InputMissing, SystemStreamPartitionMetadata
from tests.fixtures.kafka_broker import KafkaBroker
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, COMPACTED_SOON, Topics
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.kafka


@pytest.fixture
def partition(topics: Topics, job_name: str) -> SystemStreamPartition:
    """Partition 1 of a new changelog with two partitions."""
    return SystemStreamPartition("kafka", topics.create(f"{job_name}-changelog", partitions=2), 1)


def read(changelogs: KafkaChangelogs, partition: SystemStreamPartition, first: int, until: int) -> list[Change]:
    return [*chain.from_iterable(changelogs.read(partition, first, until))]


def test_the_last_change_of_each_key_is_read_back_from_its_partition(
    changelogs: KafkaChangelogs, partition: SystemStreamPartition
) -> None:
    other = SystemStreamPartition("kafka", partition.stream, 0)
    assert changelogs.reach(partition) == SystemStreamPartitionMetadata("0", None, "0")
    for where, key, value in (
        (partition, b"a", b"1"),
        (partition, b"a", None),
        (partition, b"a", b"3"),
        (other, b"o", b""),
        (partition, b"b", None),
    ):
        changelogs.send(where, key, value)
    changelogs.flush()
    changelogs.flush()
    assert changelogs.reach(partition) == SystemStreamPartitionMetadata("0", "1", "2")
    assert read(changelogs, partition, 0, 2) == [Change(0, b"a", b"3"), Change(1, b"b", None)]
    assert read(changelogs, other, 0, 1) == [Change(0, b"o", b"")]
    assert read(changelogs, partition, 1, 2) == [Change(1, b"b", None)]
    assert read(changelogs, partition, 2, 2) == []
    for missing in (SystemStreamPartition("kafka", partition.stream, 2), SystemStreamPartition("kafka", "none", 0)):
        with pytest.raises(InputMissing):
            changelogs.reach(missing)


def test_holes_of_compaction_are_skipped(changelogs: KafkaChangelogs, topics: Topics, job_name: str) -> None:
    name = topics.create(f"{job_name}-changelog", COMPACTED_SOON)
    written = [NewEvent(b"%d" % (number % 3), b"%d" % number) for number in range(300)]
    topics.write(name, [*written, NewEvent(b"0", None)])
    topics.compact(name, tombstones_too=True)
    changes = read(changelogs, SystemStreamPartition("kafka", name, 0), 0, 301)
    assert changes == [Change(298, b"1", b"298"), Change(299, b"2", b"299")]


def test_aborted_transactions_are_skipped(changelogs: KafkaChangelogs, topics: Topics, job_name: str) -> None:
    name = topics.create(f"{job_name}-changelog")
    topics.write_transaction(name, [NewEvent(b"a", b"1")])
    topics.write_transaction(name, [NewEvent(b"a", b"2")], commit=False)
    assert changelogs.reach(partition := SystemStreamPartition("kafka", name, 0)).newest_offset == "3"
    assert read(changelogs, partition, 0, 4) == [Change(0, b"a", b"1")]


def test_an_open_transaction_ends_a_read(
    kafka_options: KafkaOptions, topics: Topics, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = topics.create(f"{job_name}-changelog")
    monkeypatch.setattr("eventlog.kafka.changelogs.SILENCE_SECONDS", 0.1)
    with (
        KafkaChangelogs(kafka_options) as changelogs,
        topics.transaction(name, [NewEvent(b"a", b"1")]),
        pytest.raises(StreamUnavailable, match=r"returned nothing after offset -1 .* open transactions"),
    ):
        read(changelogs, SystemStreamPartition("kafka", name, 0), 0, 1)


def test_a_lost_offset_is_not_skipped(changelogs: KafkaChangelogs, topics: Topics, job_name: str) -> None:
    name = topics.create(f"{job_name}-changelog", COMPACTED_AND_DELETED)
    topics.write(name, [NewEvent(b"a", b"1"), NewEvent(b"b", b"1")])
    topics.delete_before(name, 1)
    with pytest.raises(OffsetLost):
        read(changelogs, SystemStreamPartition("kafka", name, 0), 0, 2)


def test_rejected_changes_are_kept(changelogs: KafkaChangelogs, topics: Topics, job_name: str) -> None:
    name = topics.create(f"{job_name}-changelog", {"max.message.bytes": "1000"})
    partition = SystemStreamPartition("kafka", name, 0)
    changelogs.send(partition, b"a", bytes(2000))
    for _ in range(2):
        with pytest.raises(AppendRefused, match=rf"{name}.*rejected a change"):
            changelogs.flush()
    changelogs.send(partition, b"a", b"small")
    changelogs.flush()
    assert read(changelogs, partition, 0, 1) == [Change(0, b"a", b"small")]


@pytest.fixture
def own_partition(broker: KafkaBroker, job_name: str) -> SystemStreamPartition:
    """A new changelog on it."""
    with Topics(broker.bootstrap_servers) as topics:
        return SystemStreamPartition("kafka", topics.create(f"{job_name}-changelog"), 0)


@pytest.mark.slow
def test_changes_that_a_broker_did_not_acknowledge_are_written_later(
    broker: KafkaBroker, own_partition: SystemStreamPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eventlog.kafka.changelogs.APPEND_SECONDS", 1)
    with KafkaChangelogs(KafkaOptions.parse(broker.bootstrap_servers)) as changelogs:
        changelogs.send(own_partition, b"a", b"1")
        broker.kill()
        with pytest.raises(SourceUnavailable):
            changelogs.flush()
        broker.start()
        changelogs.send(own_partition, b"b", b"2")
        changelogs.flush()
        assert read(changelogs, own_partition, 0, 2) == [Change(0, b"a", b"1"), Change(1, b"b", b"2")]


@pytest.mark.slow
def test_a_change_that_arrives_late_does_not_overwrite_a_later_one(
    broker: KafkaBroker, own_partition: SystemStreamPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eventlog.kafka.changelogs.APPEND_SECONDS", 0.5)
    connected: list[object] = []

    def connect(client: Any, *arguments: Any, **options: Any) -> Connected:
        connected.append(client)
        return client_module.connect(client, *arguments, **options)

    with KafkaChangelogs(KafkaOptions.parse(broker.bootstrap_servers)) as changelogs:
        monkeypatch.setattr("eventlog.kafka.producer.connect", connect)
        changelogs.send(own_partition, b"a", b"1")
        changelogs.flush()
        with paused(broker):
            for value in (b"2", b"3"):
                changelogs.send(own_partition, b"a", value)
                with pytest.raises(SourceUnavailable, match=f"not acknowledge changes in {own_partition.stream}"):
                    changelogs.flush()
            with pytest.raises(SourceUnavailable):
                changelogs.discard(own_partition)  # a restore must see all changes
        wait_until(lambda: is_discarded(changelogs, own_partition), what="the changes to be acknowledged")
        assert connected == [KafkaProducer]  # whose later changes follow the earlier ones
        end = int(changelogs.reach(own_partition).upcoming_offset or 0)
        assert [change.value for change in read(changelogs, own_partition, 0, end)] == [b"1", b"2"]


@contextmanager
def paused(broker: KafkaBroker) -> Iterator[None]:
    """A broker that takes bytes but does not answer."""
    os.kill(broker.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, broker.pid, os.WSTOPPED)  # on a busy machine, threads stop later than the signal is sent
    try:
        yield
    finally:
        os.kill(broker.pid, signal.SIGCONT)


def is_discarded(changelogs: KafkaChangelogs, partition: SystemStreamPartition) -> bool:
    try:
        changelogs.discard(partition)
    except SourceUnavailable:
        return False
    return True
