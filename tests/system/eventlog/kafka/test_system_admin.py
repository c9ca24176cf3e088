"""An input system on a real broker."""

import itertools
import time
from collections.abc import Iterator, Sequence

import pytest

from eventlog.events import NewEvent
from eventlog.kafka import client
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.system_admin import InputMissing, ResolvedStartpoint, SystemAdmin
from tests.contracts.system_admin import SystemAdminContract
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE

#: Deleted from, and not by age, since tests write in 1970.
INPUT = {"cleanup.policy": "delete", "retention.ms": "-1"}
NOWHERE = KafkaOptions.parse("127.0.0.1:1")


def inputs(times: Sequence[int]) -> list[NewEvent]:
    """Records of these times."""
    return [NewEvent(None, b"%d" % ms, ms) for ms in times]


class TestKafkaSystemAdmin(SystemAdminContract):
    @pytest.fixture(autouse=True)
    def broker(self, kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
        self._options = kafka_options
        self._topics = topics
        self._names = (f"{job_name}-input-{number}" for number in itertools.count())

    def make_admin(self) -> KafkaSystemAdmin:
        return KafkaSystemAdmin(self._options)

    def close_admin(self, admin: SystemAdmin) -> None:
        assert isinstance(admin, KafkaSystemAdmin)
        admin.close()

    def make_stream(self, partitions: int = 1) -> str:
        return self._topics.create(next(self._names), INPUT, partitions=partitions)

    def write(self, stream_name: str, times: Sequence[int], partition: int = 0) -> None:
        self._topics.write(stream_name, inputs(times), partition=partition)

    def delete_before(self, stream_name: str, offset: int) -> None:
        self._topics.delete_before(stream_name, offset)


@pytest.fixture
def system(kafka_options: KafkaOptions) -> Iterator[KafkaSystemAdmin]:
    """An admin of the run's broker."""
    with KafkaSystemAdmin(kafka_options) as admin:
        yield admin


def test_buckets_of_one_partition_can_have_different_startpoints(
    system: KafkaSystemAdmin, topics: Topics, job_name: str
) -> None:
    name = topics.create(f"{job_name}-input", INPUT)
    topics.write(name, inputs(range(9)))
    buckets = [SystemStreamPartition("input", name, 0, bucket) for bucket in range(3)]
    startpoints: dict[SystemStreamPartition, Startpoint] = {
        buckets[0]: StartpointTimestamp(4, 1),
        buckets[1]: StartpointTimestamp(5, 1),
        buckets[2]: StartpointUpcoming(1),
    }
    found = system.resolve_startpoints(startpoints)
    assert [found[bucket] for bucket in buckets] == [ResolvedStartpoint(offset) for offset in ("4", "5", "9")]


def test_a_specific_offset_is_not_asked_for() -> None:
    with KafkaSystemAdmin(NOWHERE) as nowhere:
        partition = SystemStreamPartition("input", "orders", 0)
        assert nowhere.resolve_startpoint_to_offset(partition, StartpointSpecific("10", 1)) == "10"
        assert nowhere.get_offsets_after({partition: "1"}) == {partition: "2"}


def test_a_broker_that_does_not_answer_is_reported_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(client.TIMES, "bootstrap_timeout_ms", 1000)
    monkeypatch.setattr(client, "REACH_SECONDS", 1.0)
    started = time.monotonic()
    with KafkaSystemAdmin(NOWHERE) as nowhere:
        for ask in (
            lambda: nowhere.resolve_startpoint(SystemStreamPartition("input", "orders", 0), StartpointOldest(1)),
            lambda: nowhere.get_system_stream_metadata(["orders"]),
        ):
            with pytest.raises(SourceUnavailable, match=r"Kafka at 127.0.0.1:1 does not answer .*\. Check that"):
                ask()
    assert time.monotonic() - started < PATIENCE / 2


def test_asking_for_a_topic_does_not_make_it(system: KafkaSystemAdmin, topics: Topics, job_name: str) -> None:
    name = f"{job_name}-not-there"
    with pytest.raises(InputMissing, match=rf"Kafka at .* has no stream {name}. Check its name"):
        system.resolve_startpoint(SystemStreamPartition("input", name, 0), StartpointOldest(1))
    with pytest.raises(InputMissing):
        system.get_system_stream_metadata([name])
    assert not topics.is_there(name)


def test_an_invalid_topic_name_is_reported(system: KafkaSystemAdmin) -> None:
    with pytest.raises(InputMissing, match="has no stream a b"):
        system.get_system_stream_metadata(["a b"])


def test_records_of_transactions_count_before_they_are_committed(
    system: KafkaSystemAdmin, topics: Topics, job_name: str
) -> None:
    name = topics.create(f"{job_name}-input", INPUT)
    partition = SystemStreamPartition("input", name, 0)
    with topics.transaction(name, inputs(range(3))) as open_transaction:
        assert system.resolve_startpoint_to_offset(partition, StartpointUpcoming(1)) == "3"
        assert system.get_system_stream_metadata([name])[name].partitions[0].newest_offset == "2"
        open_transaction.commit_transaction()
