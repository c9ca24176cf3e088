"""StartpointManager: requests, fan-outs and removals."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from eventlog.log import AppendRefused, EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp
from eventlog.streams import identify
from managers.errors import NotReady
from managers.startpoints.startpoint_manager import StartpointManager
from managers.startpoints.startpoint_records import StartpointNotWritten, StartpointUnreadable
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.coordinator_streams import CoordinatorStreamConsumer
from tests.builders import config_set, coordinator_key, fan_out, raw, startpoint, task_partition
from tests.contracts.event_log import NOW_MS
from tests.fixtures.managers.watched_log import RecordingLog

PAGE_VIEWS = SystemStreamPartition("kafka", "PageViews", 3)
ORDERS = SystemStreamPartition("kafka", "orders", 0)
FAN_OUT = b'[1,"samza-startpoint-v1-fan-out","%s"]'


def specific(offset: str, ago: int = 0) -> StartpointSpecific:
    """A startpoint at an offset, created ``ago`` ms ago."""
    return StartpointSpecific(offset, NOW_MS - ago)


def managing(log: EventLog, now_ms: int = NOW_MS) -> StartpointManager:
    manager = StartpointManager(CoordinatorStreamStore(log), clock=lambda: now_ms)
    manager.start()
    return manager


@pytest.fixture
def manager(coordinator_log: EventLog) -> StartpointManager:
    return managing(coordinator_log)


def keys(log: EventLog) -> list[tuple[bytes | None, bool]]:
    return [(event.key, event.value is not None) for event in log.read()]


def live_keys(log: EventLog) -> dict[str, set[str]]:
    with CoordinatorStreamStore(log) as store:
        found: dict[str, set[str]] = {}
        for name in store.all():
            found.setdefault(name.namespace, set()).add(name.key)
        return found


@pytest.mark.scenario("SPM-05")
def test_each_key_has_its_own_startpoint(manager: StartpointManager) -> None:
    partition = SystemStreamPartition("mockSystem", "mockStream", 2)

    def both() -> tuple[Startpoint | None, Startpoint | None]:
        return manager.read_startpoint(partition), manager.read_startpoint(partition, task_name="MockTask")

    assert both() == (None, None)
    manager.write_startpoint(partition, StartpointTimestamp(111_111_111, NOW_MS))
    manager.write_startpoint(partition, StartpointTimestamp(222_222_222, NOW_MS), task_name="MockTask")
    assert both() == (StartpointTimestamp(111_111_111, NOW_MS), StartpointTimestamp(222_222_222, NOW_MS))
    manager.write_startpoint(partition, specific("1"))
    manager.write_startpoint(partition, specific("2"), task_name="MockTask")
    assert both() == (specific("1"), specific("2"))
    manager.delete_startpoint(partition)
    assert both() == (None, specific("2"))
    manager.write_startpoint(partition, specific("3"))
    manager.delete_startpoint(partition, task_name="MockTask")
    assert both() == (specific("3"), None)


@pytest.mark.scenario("SPM-06")
def test_a_request_is_not_read_after_twelve_hours(manager: StartpointManager) -> None:
    for age, is_there in ((EXPIRY_MS + 2, False), (EXPIRY_MS - 60_000, True)):
        for task in (None, "t"):
            manager.write_startpoint(PAGE_VIEWS, specific("1", age), task_name=task)
            assert (manager.read_startpoint(PAGE_VIEWS, task_name=task) is not None) == is_there


CALLS: dict[str, Callable[[StartpointManager], object]] = {
    "write": lambda manager: manager.write_startpoint(PAGE_VIEWS, specific("1")),
    "write for a task": lambda manager: manager.write_startpoint(PAGE_VIEWS, specific("1"), task_name="t"),
    "read": lambda manager: manager.read_startpoint(PAGE_VIEWS),
    "read for a task": lambda manager: manager.read_startpoint(PAGE_VIEWS, task_name="t"),
    "delete": lambda manager: manager.delete_startpoint(PAGE_VIEWS),
    "delete for a task": lambda manager: manager.delete_startpoint(PAGE_VIEWS, task_name="t"),
    "delete all": lambda manager: manager.delete_all_startpoints(),
    "fan out": lambda manager: manager.fan_out({"t": {PAGE_VIEWS}}),
    "get": lambda manager: manager.get_fan_out_for_task("t"),
    "remove": lambda manager: manager.remove_fan_out_for_task("t"),
    "remove some": lambda manager: manager.remove_fan_out_for_task_ssps("t", {PAGE_VIEWS}),
    "remove all": lambda manager: manager.remove_all_fan_outs(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.scenario("SPM-08", "HRD-43")
def test_calls_before_start_or_after_stop_raise(
    coordinator_log: EventLog, call: Callable[[StartpointManager], object]
) -> None:
    manager = StartpointManager(CoordinatorStreamStore(coordinator_log), clock=lambda: NOW_MS)
    with pytest.raises(NotReady, match=r"StartpointManager is not running\. Start it first"):
        call(manager)
    with manager:
        assert manager.is_running
        call(manager)
    end = coordinator_log.end_offset()
    with pytest.raises(NotReady):
        call(manager)
    assert (manager.is_running, coordinator_log.end_offset()) == (False, end)


@pytest.mark.scenario("SPM-10", "SPM-09", "SPM-11")
def test_of_two_requests_the_later_wins(manager: StartpointManager, coordinator_log: EventLog) -> None:
    single, broadcast = SystemStreamPartition("a", "single", 0), SystemStreamPartition("a", "broadcast", 0)
    past, present, future = specific("past", 10_000), specific("present"), specific("future", -10_000)
    for startpoint_of_single in (past, present):
        manager.write_startpoint(single, startpoint_of_single)
    manager.write_startpoint(broadcast, present)
    manager.write_startpoint(broadcast, past, task_name="t2")
    manager.write_startpoint(broadcast, future, task_name="t3")
    manager.write_startpoint(broadcast, specific("own"), task_name="t4")  # at the same time: its own wins
    fanned_out = manager.fan_out({f"t{number}": [broadcast] for number in range(5)} | {"t1": [single, broadcast]})
    assert fanned_out == {
        "t0": {broadcast: present},
        "t1": {single: present, broadcast: present},
        "t2": {broadcast: present},
        "t3": {broadcast: future},
        "t4": {broadcast: specific("own")},
    }
    assert set(live_keys(coordinator_log)) == {"samza-startpoint-v1-fan-out"}


@pytest.mark.scenario("SPM-14")
def test_a_fan_out_needs_tasks(
    manager: StartpointManager, coordinator_log: EventLog, caplog: pytest.LogCaptureFixture
) -> None:
    manager.write_startpoint(PAGE_VIEWS, specific("1"))
    with pytest.raises(ValueError, match="task_to_partitions has no task"):
        manager.fan_out({})
    assert manager.read_startpoint(PAGE_VIEWS) == specific("1")
    with caplog.at_level(logging.WARNING):
        assert manager.fan_out({"t0": {PAGE_VIEWS}, "tNo": set()}) == {"t0": {PAGE_VIEWS: specific("1")}}
    assert [record.getMessage() for record in caplog.records] == [
        "Task 'tNo' reads no partition: no startpoint is fanned out to it."
    ]
    assert manager.get_fan_out_for_task("tNo") == {}


def test_a_request_for_a_partition_is_for_all_its_key_buckets(manager: StartpointManager) -> None:
    buckets = [SystemStreamPartition("kafka", "PageViews", 3, bucket) for bucket in (0, 1)]
    manager.write_startpoint(buckets[0], specific("1"))
    assert manager.fan_out({"t0": buckets[:1], "t1": buckets[1:]}) == {
        task: {PAGE_VIEWS: specific("1")} for task in ("t0", "t1")
    }
    manager.remove_fan_out_for_task_ssps("t1", buckets[1:])
    assert (len(manager.get_fan_out_for_task("t0")), manager.get_fan_out_for_task("t1")) == (1, {})


@pytest.mark.scenario("SPM-17")
def test_partitions_are_removed_one_by_one(manager: StartpointManager, coordinator_log: EventLog) -> None:
    ssps = [SystemStreamPartition("mockSystem", "mockStream", number) for number in (0, 1)]
    for ssp in ssps:
        manager.write_startpoint(ssp, specific("42"))
    manager.fan_out({"mockTask": ssps})
    manager.remove_fan_out_for_task_ssps("mockTask", set())
    assert manager.get_fan_out_for_task("mockTask") == dict.fromkeys(ssps, specific("42"))
    manager.remove_fan_out_for_task_ssps("mockTask", {ssps[0]})
    assert manager.get_fan_out_for_task("mockTask") == {ssps[1]: specific("42")}
    manager.remove_fan_out_for_task_ssps("mockTask", {ssps[1]})
    assert manager.get_fan_out_for_task("mockTask") == {}
    assert keys(coordinator_log)[-1] == (FAN_OUT % b"mockTask", False)
    end = coordinator_log.end_offset()
    manager.remove_fan_out_for_task_ssps("mockTask", {ssps[1]})
    assert coordinator_log.end_offset() == end


@pytest.mark.scenario("SPM-18")
def test_requests_and_fan_outs_are_deleted_separately(manager: StartpointManager, coordinator_log: EventLog) -> None:
    fan_outs = [fan_out(f"t{number}", {"k.s.0": specific("1")}) for number in range(6)]
    coordinator_log.append(fan_outs)
    manager.write_startpoint(PAGE_VIEWS, specific("1"))
    manager.write_startpoint(ORDERS, specific("1"), task_name="t")
    manager.remove_all_fan_outs()
    assert live_keys(coordinator_log) == {"samza-startpoint-v1": {"kafka.PageViews.3", "kafka.orders.0.t"}}
    coordinator_log.append(fan_outs)
    manager.delete_all_startpoints()
    assert live_keys(coordinator_log) == {"samza-startpoint-v1-fan-out": {f"t{number}" for number in range(6)}}


@pytest.mark.parametrize(
    ("partition", "startpoint_", "task", "error"),
    [
        (PAGE_VIEWS, StartpointTimestamp(1.5, NOW_MS), None, TypeError),  # type: ignore[arg-type]
        (PAGE_VIEWS, StartpointOldest(1.5), None, TypeError),  # type: ignore[arg-type]
        (PAGE_VIEWS, StartpointSpecific(True, NOW_MS), None, TypeError),  # type: ignore[arg-type]
        (PAGE_VIEWS, StartpointOldest(2**63), None, ValueError),
        (PAGE_VIEWS, specific("1"), "", ValueError),
        (PAGE_VIEWS, None, None, TypeError),
        (None, specific("1"), None, TypeError),
        *((SystemStreamPartition("k", "s", number), specific("1"), None, ValueError) for number in (2**31, -1, True)),
        (SystemStreamPartition(" ", "s", 0), specific("1"), None, ValueError),
        (SystemStreamPartition("k", "", 0), specific("1"), None, ValueError),
        (SystemStreamPartition("k.x", "s", 0), specific("1"), None, ValueError),
        (SystemStreamPartition("k", "\ud800", 0), specific("1"), None, ValueError),
    ],
)
@pytest.mark.scenario("SPM-22")
def test_invalid_arguments_are_refused(
    manager: StartpointManager,
    coordinator_log: EventLog,
    partition: Any,
    startpoint_: Any,
    task: Any,
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        manager.write_startpoint(partition, startpoint_, task_name=task)
    assert list(coordinator_log.read()) == []


UNREADABLE: dict[bytes, tuple[str | None, str]] = {
    b'{"@type":"StartpointCustom","creationTimestamp":1}': ("StartpointCustom", "unknown_startpoint"),
    b'{"creationTimestamp":1}': (None, "unknown_startpoint"),
    b'{"@type":"a secret, perhaps","creationTimestamp":1}': (None, "unknown_startpoint"),
    b"\xff\x00": (None, "not_utf8"),
    b"{": (None, "not_json"),
}


@pytest.mark.parametrize("value", UNREADABLE)
@pytest.mark.scenario("SPM-04")
def test_an_unreadable_request_raises_and_hides_no_other(
    manager: StartpointManager, coordinator_log: EventLog, value: bytes
) -> None:
    kind, reason = UNREADABLE[value]
    coordinator_log.append(
        [
            raw(coordinator_key("samza-startpoint-v1", "kafka.PageViews.3"), value),
            startpoint("kafka.orders.0", specific("1")),
        ]
    )
    named = f"@type {kind}" if kind else "no @type"
    with pytest.raises(
        StartpointUnreadable, match=f"'kafka.PageViews.3' in samza-startpoint-v1, with {named}"
    ) as raised:
        manager.read_startpoint(PAGE_VIEWS)
    assert (raised.value.key, raised.value.startpoint_type, raised.value.reason) == ("kafka.PageViews.3", kind, reason)
    assert "secret" not in str(raised.value)
    assert manager.read_startpoint(ORDERS) == specific("1")
    with pytest.raises(StartpointUnreadable, match=r"'kafka.PageViews.3'.*Write the startpoint again, or delete it"):
        manager.fan_out({"t": {PAGE_VIEWS, ORDERS}})
    assert len(keys(coordinator_log)) == 2
    manager.delete_startpoint(PAGE_VIEWS)
    assert manager.fan_out({"t": {PAGE_VIEWS, ORDERS}}) == {"t": {ORDERS: specific("1")}}


def test_a_value_without_bytes_is_no_startpoint(manager: StartpointManager, coordinator_log: EventLog) -> None:
    """As in Samza: Kafka's console producer writes one where a tombstone was meant."""
    written = [startpoint("kafka.PageViews.3", specific("1")), fan_out("t", {"kafka.PageViews.3": specific("2")})]
    coordinator_log.append([*written, *(raw(event.key, b"") for event in written)])
    assert manager.read_startpoint(PAGE_VIEWS) is None
    assert manager.get_fan_out_for_task("t") == {}
    manager.remove_fan_out_for_task_ssps("t", {PAGE_VIEWS})
    assert manager.fan_out({"t": {PAGE_VIEWS}}) == {}
    manager.write_startpoint(PAGE_VIEWS, specific("3"))
    assert manager.fan_out({"t": {PAGE_VIEWS}}) == {"t": {PAGE_VIEWS: specific("3")}}


@pytest.mark.scenario("HRD-28")
def test_records_without_an_envelope_are_read(manager: StartpointManager, coordinator_log: EventLog) -> None:
    coordinator_log.append(
        [config_set(), startpoint("kafka.PageViews.3", specific("1")), fan_out("t", {"k.s.0": specific("2")})]
    )
    with CoordinatorStreamStore(coordinator_log) as store:
        values = {name.namespace: value for name, value in store.all().items()}
    assert values["samza-startpoint-v1"].startswith(b'{"@type":"StartpointSpecific"')
    assert values["samza-startpoint-v1-fan-out"].startswith(b'{"timestamp":')
    with CoordinatorStreamConsumer(coordinator_log) as consumer:
        read = {message.type: message.values for message in consumer.get_bootstrapped_stream()}
    assert (read["samza-startpoint-v1"], read["samza-startpoint-v1-fan-out"]) == ({}, {})
    assert manager.read_startpoint(PAGE_VIEWS) == specific("1")


@pytest.mark.scenario("SPM-26")
def test_a_fan_out_reads_the_store_once() -> None:
    log = RecordingLog()
    tasks = {
        f"Partition {task}": [SystemStreamPartition("kafka", f"in{number}", task) for number in range(50)]
        for task in range(200)
    }
    with managing(log) as manager:
        for number in range(3):
            manager.write_startpoint(SystemStreamPartition("kafka", f"in{number}", 7), specific("1"))
        log.calls.clear()
        assert len(manager.fan_out(tasks)["Partition 7"]) == 3
        assert log.calls == ["append 4"]  # no other writer, so nothing to read


class RefusingLog(MemoryEventLog):
    """A log that refuses every append."""

    def append(self, *_events: Any, **_options: Any) -> range:
        raise AppendRefused(self.stream_name, "no room")


OF_S_1 = SystemStreamPartition("k", "s.1", 2)
OF_S = SystemStreamPartition("k", "s", 1)


@pytest.mark.parametrize(
    ("tasks", "of_s_1", "of_s"),
    [
        ({}, None, None),
        ({"t": OF_S_1}, "7", None),
        ({"2": OF_S}, None, "7"),
        ({"t": OF_S}, None, None),
        ({"t": OF_S_1, "2": OF_S}, None, None),
    ],
    ids=["nothing", "one", "the other", "neither", "both"],
)
def test_assignments_settle_the_meaning_of_an_ambiguous_key(
    manager: StartpointManager,
    coordinator_log: EventLog,
    tasks: dict[str, SystemStreamPartition],
    of_s_1: str | None,
    of_s: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As in the relation `startpoint`."""
    assigned = [task_partition(str(partition), task) for task, partition in tasks.items()]
    coordinator_log.append([*assigned, startpoint("k.s.1.2", specific("7"))])
    found = manager.read_startpoint(OF_S_1), manager.read_startpoint(OF_S, task_name="2")
    assert [each and each.value for each in found] == [of_s_1, of_s]
    assert ("Ignoring startpoint request" in caplog.text) is (of_s_1 is of_s is None)
    fanned_out = manager.fan_out({task: {partition} for task, partition in tasks.items()} | {"none": {PAGE_VIEWS}})
    assert [one for fanned in fanned_out.values() for one in fanned.values()] == [specific("7")] * any(found)
    if len(tasks) == 2:
        assert "its key can mean partition 1 of k.s in task '2' or partition 2 of k.s.1 in every task." in caplog.text
    manager.write_startpoint(OF_S_1, specific("8"))
    assert "reads it as partition 1 of s." in caplog.text
    assert ("can also mean partition 1 of k.s in task '2'" in caplog.text) is (of_s_1 is None)


@pytest.mark.parametrize(
    "act",
    [
        lambda manager, task: manager.write_startpoint(PAGE_VIEWS, specific("7"), task_name=task),
        lambda manager, task: manager.delete_startpoint(PAGE_VIEWS, task_name=task),
    ],
    ids=["write", "delete"],
)
@pytest.mark.parametrize(("task", "named"), [("t", "task 't'"), (None, "every task")])
def test_an_error_of_the_log_names_the_startpoint(
    act: Callable[[StartpointManager, str | None], None], task: str | None, named: str
) -> None:
    sentence = f"startpoint of kafka.PageViews.3 for {named} .*: no room"
    manager = managing(RefusingLog(identify("__samza_coordinator_orders_1")))
    with pytest.raises(StartpointNotWritten, match=sentence) as raised:
        act(manager, task)
    assert (raised.value.partition, raised.value.task_name) == (PAGE_VIEWS, task)
    assert isinstance(raised.value.__cause__, AppendRefused)
