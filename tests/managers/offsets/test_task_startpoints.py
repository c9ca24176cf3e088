"""Startpoints of tasks, and what remains of them in the fan-out."""

from collections.abc import Iterator

import pytest

from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific
from eventlog.streams import identify
from managers.offsets.task_startpoints import TaskStartpoints
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import fan_out

IN = [SystemStreamPartition("kafka", "in", number) for number in range(3)]
KEY = [str(partition) for partition in IN]
NOW = 1_700_000_000_000
FIRST, SECOND = StartpointSpecific("7", NOW), StartpointOldest(NOW)


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog(identify("__samza_coordinator_orders_1"))


@pytest.fixture
def manager(log: EventLog) -> Iterator[StartpointManager]:
    with CoordinatorStreamStore(log) as store:
        yield StartpointManager(store, clock=lambda: NOW)


def load(log: EventLog, manager: StartpointManager, **fan_outs: dict[str, Startpoint]) -> TaskStartpoints:
    log.append([fan_out(task_name, startpoints) for task_name, startpoints in fan_outs.items()])
    startpoints = TaskStartpoints(manager)
    startpoints.load({"t": IN[:2], "u": IN})
    return startpoints


def left(manager: StartpointManager, task_name: str) -> set[SystemStreamPartition]:
    with StartpointManager(manager._store, clock=lambda: NOW) as other:
        return set(other.get_fan_out_for_task(task_name))


def test_a_task_has_the_startpoints_of_its_partitions(log: MemoryEventLog, manager: StartpointManager) -> None:
    startpoints = load(log, manager, t={KEY[0]: FIRST, KEY[2]: FIRST}, u={KEY[2]: SECOND}, v={KEY[0]: SECOND})
    assert [startpoints.get("t", partition) for partition in IN] == [FIRST, None, None]
    assert [startpoints.get("u", partition) for partition in IN] == [None, None, SECOND]
    assert startpoints.get("v", IN[0]) is None
    assert manager.is_running


def test_a_consumed_startpoint_leaves_the_fan_out(log: MemoryEventLog, manager: StartpointManager) -> None:
    startpoints = load(log, manager, t={KEY[0]: FIRST, KEY[1]: SECOND, KEY[2]: FIRST})
    startpoints.consume("t", [IN[1], IN[2]])
    assert (left(manager, "t"), startpoints.get("t", IN[1])) == ({IN[0], IN[2]}, None)
    startpoints.consume("t", [IN[0]])
    assert (left(manager, "t"), manager.is_running) == ({IN[2]}, False)


def test_nothing_is_written_if_no_startpoint_is_consumed(log: MemoryEventLog, manager: StartpointManager) -> None:
    startpoints = load(log, manager, t={KEY[0]: FIRST})
    end = log.end_offset()
    startpoints.consume("t", [IN[1]])
    startpoints.consume("u", IN)
    startpoints.consume("t", [])
    assert (log.end_offset(), manager.is_running) == (end, True)


def test_a_startpoint_fanned_out_since_the_start_stays(log: MemoryEventLog, manager: StartpointManager) -> None:
    startpoints = load(log, manager, t={KEY[0]: FIRST, KEY[1]: FIRST})
    log.append([fan_out("t", {KEY[0]: SECOND, KEY[1]: FIRST})])
    startpoints.consume("t", IN)
    assert left(manager, "t") == {IN[0]}
    assert startpoints.get("t", IN[0]) is None
    assert not manager.is_running, "the next start reads it"


def test_a_startpoint_set_by_the_program_is_not_in_the_fan_out(log: MemoryEventLog, manager: StartpointManager) -> None:
    startpoints = load(log, manager)
    assert not manager.is_running
    startpoints.set("t", IN[0], FIRST)
    end = log.end_offset()
    assert startpoints.get("t", IN[0]) == FIRST
    startpoints.consume("t", [IN[0]])
    assert (startpoints.get("t", IN[0]), log.end_offset()) == (None, end)


def test_a_second_load_has_the_remaining_startpoints(log: MemoryEventLog, manager: StartpointManager) -> None:
    startpoints = load(log, manager, t={KEY[0]: FIRST, KEY[1]: SECOND})
    startpoints.consume("t", [IN[0]])
    startpoints.set("t", IN[0], FIRST)
    startpoints.load({"t": IN})
    assert [startpoints.get("t", partition) for partition in IN] == [None, SECOND, None]


def test_without_a_manager_there_is_no_fan_out() -> None:
    startpoints = TaskStartpoints(None)
    startpoints.load({"t": IN})
    startpoints.set("t", IN[0], FIRST)
    startpoints.consume("t", IN)
    startpoints.stop()
    assert startpoints.get("t", IN[0]) is None
