"""The startpoints that tasks hold, and what is left of them in the fan-out."""

from collections.abc import Iterator

import pytest

from eventlog.log import EventLog
from eventlog.memory import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific
from eventlog.streams import identify
from managers.offsets.held_startpoints import HeldStartpoints
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


def loaded(log: EventLog, manager: StartpointManager, **fan_outs: dict[str, Startpoint]) -> HeldStartpoints:
    log.append([fan_out(task_name, startpoints) for task_name, startpoints in fan_outs.items()])
    held = HeldStartpoints(manager)
    held.load({"t": IN[:2], "u": IN})
    return held


def left(manager: StartpointManager, task_name: str) -> set[SystemStreamPartition]:
    with StartpointManager(manager._store, clock=lambda: NOW) as other:
        return set(other.get_fan_out_for_task(task_name))


def test_a_task_holds_what_it_was_handed_of_what_it_reads(log: MemoryEventLog, manager: StartpointManager) -> None:
    held = loaded(log, manager, t={KEY[0]: FIRST, KEY[2]: FIRST}, u={KEY[2]: SECOND}, v={KEY[0]: SECOND})
    assert [held.get("t", partition) for partition in IN] == [FIRST, None, None]
    assert [held.get("u", partition) for partition in IN] == [None, None, SECOND]
    assert held.get("v", IN[0]) is None
    assert manager.is_running


def test_what_is_used_up_leaves_the_fan_out_and_the_rest_stays(log: MemoryEventLog, manager: StartpointManager) -> None:
    held = loaded(log, manager, t={KEY[0]: FIRST, KEY[1]: SECOND, KEY[2]: FIRST})
    held.use_up("t", [IN[1], IN[2]])
    assert (left(manager, "t"), held.get("t", IN[1])) == ({IN[0], IN[2]}, None)
    held.use_up("t", [IN[0]])
    assert (left(manager, "t"), manager.is_running) == ({IN[2]}, False)


def test_nothing_is_written_where_nothing_was_held(log: MemoryEventLog, manager: StartpointManager) -> None:
    held = loaded(log, manager, t={KEY[0]: FIRST})
    end = log.end_offset()
    held.use_up("t", [IN[1]])
    held.use_up("u", IN)
    held.use_up("t", [])
    assert (log.end_offset(), manager.is_running) == (end, True)


def test_what_was_handed_out_since_the_start_stays(log: MemoryEventLog, manager: StartpointManager) -> None:
    held = loaded(log, manager, t={KEY[0]: FIRST, KEY[1]: FIRST})
    log.append([fan_out("t", {KEY[0]: SECOND, KEY[1]: FIRST})])
    held.use_up("t", IN)
    assert left(manager, "t") == {IN[0]}
    assert held.get("t", IN[0]) is None
    assert not manager.is_running, "the next start will read it"


def test_one_that_is_set_by_hand_stands_in_no_fan_out(log: MemoryEventLog, manager: StartpointManager) -> None:
    held = loaded(log, manager)
    assert not manager.is_running
    held.set("t", IN[0], FIRST)
    end = log.end_offset()
    assert held.get("t", IN[0]) == FIRST
    held.use_up("t", [IN[0]])
    assert (held.get("t", IN[0]), log.end_offset()) == (None, end)


def test_loaded_anew_it_holds_what_is_left(log: MemoryEventLog, manager: StartpointManager) -> None:
    held = loaded(log, manager, t={KEY[0]: FIRST, KEY[1]: SECOND})
    held.use_up("t", [IN[0]])
    held.set("t", IN[0], FIRST)
    held.load({"t": IN})
    assert [held.get("t", partition) for partition in IN] == [None, SECOND, None]


def test_without_a_manager_there_is_no_fan_out() -> None:
    held = HeldStartpoints(None)
    held.load({"t": IN})
    held.set("t", IN[0], FIRST)
    held.use_up("t", IN)
    held.stop()
    assert held.get("t", IN[0]) is None
