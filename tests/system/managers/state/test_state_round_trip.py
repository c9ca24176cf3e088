"""Samza 1.8.0 itself restores what we back up, and the other way round, on a real broker."""

import time
from typing import Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from tests.fixtures import samza_state_backend
from tests.fixtures.samza import Call, Samza
from tests.fixtures.samza_state_backend import commit, restore, write
from tests.fixtures.state import KAFKA, NOT_TRANSACTIONAL, TASK, TRANSACTIONAL, TaskMaker, TaskWithStores, as_version_1

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

STORES: Final = ["orders", "rates", "empty"]
ORDERS: Final = {b"a": b"1", b"b": "ж\U0001f680".encode(), b"c": b""}
RATES: Final = {b"%04d" % number: b"x" * 100 for number in range(2000)}
UNCOMMITTED: Final = {b"a": b"changed", b"b": None, b"new": b"4"}
AFTER: Final = {b"a": b"changed", b"c": b"", b"new": b"4"}
PARTITION: Final = 1


def ask(samza: Samza, task: TaskWithStores, *calls: Call) -> list[object]:
    config = {**samza.config("job"), **task.task.config, **samza_state_backend.config_of(STORES)}
    return samza.ask(samza_state_backend.PROGRAM, config, calls)


def checkpoint_of(version: int, checkpoint: CheckpointV2) -> Checkpoint:
    return checkpoint if version == 2 else as_version_1(checkpoint)


@pytest.mark.scenario("TCM-08")
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL])
def test_samza_restores_what_we_back_up(
    samza: Samza, make_task: TaskMaker, version: int, config: dict[str, str]
) -> None:
    task = make_task(*STORES, config=config)
    task.write(ORDERS)
    task.write(RATES, "rates")
    checkpoint = checkpoint_of(version, task.commit())
    task.write(UNCOMMITTED)
    task.write({b"uncommitted": b"1"}, "empty")
    is_reverted = config == TRANSACTIONAL
    expected = {
        "orders": ORDERS if is_reverted else AFTER,
        "rates": RATES,
        "empty": {} if is_reverted else {b"uncommitted": b"1"},
    }
    assert ask(samza, task, restore(TASK, PARTITION, checkpoint)) == [expected]
    ours = make_task(*STORES, config=config, in_memory=True)
    ours.restore(checkpoint)  # from the changelogs as Samza has left them
    assert {store: ours.entries(store) for store in STORES} == expected


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL])
def test_we_restore_what_samza_backs_up(
    samza: Samza, make_task: TaskMaker, version: int, config: dict[str, str]
) -> None:
    task = make_task(*STORES, config=config)
    checkpoint_id = CheckpointId.create(int(time.time() * 1000), 1)
    empty, *_, markers, uncommitted = ask(
        samza,
        task,
        restore(TASK, PARTITION, None),
        write(TASK, PARTITION, "orders", ORDERS),
        write(TASK, PARTITION, "rates", RATES),
        commit(TASK, PARTITION, checkpoint_id),
        write(TASK, PARTITION, "orders", UNCOMMITTED),
    )
    assert (empty, uncommitted) == ({store: {} for store in STORES}, None)
    assert markers == task_markers(task, markers)
    checkpoint = CheckpointV2(checkpoint_id, {}, {KAFKA: markers})  # type: ignore[dict-item]
    for in_memory in (False, True):
        restarted = make_task(*STORES, config=config, in_memory=in_memory)
        restarted.restore(checkpoint_of(version, checkpoint))
        found = {store: restarted.entries(store) for store in STORES}
        assert found == {"orders": ORDERS if config == TRANSACTIONAL else AFTER, "rates": RATES, "empty": {}}


def task_markers(task: TaskWithStores, theirs: object) -> object:
    assert isinstance(theirs, dict)
    ours = task.upload().state_markers[KAFKA]
    return {**theirs, "rates": ours["rates"], "empty": ours["empty"]}
