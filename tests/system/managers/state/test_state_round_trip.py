"""Samza 1.8.0 itself restores what we back up, and the other way round, on a real broker."""

import time
from typing import Any, Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from tests.fixtures.samza import Call, Samza, checkpoint_said
from tests.fixtures.state import (
    KAFKA,
    NOT_TRANSACTIONAL,
    TASK,
    TRANSACTIONAL,
    Changes,
    TaskMaker,
    TaskWithStores,
    as_version_1,
)

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

STORES: Final = ["orders", "rates", "empty"]
ORDERS: Final = {b"a": b"1", b"b": "ж\U0001f680".encode(), b"c": b""}
RATES: Final = {b"%04d" % number: b"x" * 100 for number in range(2000)}
UNCOMMITTED: Final = {b"a": b"changed", b"b": None, b"new": b"4"}
AFTER: Final = {b"a": b"changed", b"c": b"", b"new": b"4"}
PARTITION: Final = 1


IN_MEMORY: Final = {
    "factory": "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory",
    "object.cache.size": "0",
    "write.batch.size": "0",
}


def ask(samza: Samza, task: TaskWithStores, *calls: Call) -> list[object]:
    """Ask Samza's own KafkaChangelogStateBackendFactory, with stores in memory."""
    stores = {f"stores.{store}.{key}": value for store in STORES for key, value in IN_MEMORY.items()}
    return samza.ask("StateBackend", {**samza.config("job"), **task.task.config, **stores}, calls)


def call(what: str, **line: Any) -> Call:
    return Call({"call": what, "task": TASK, "partition": PARTITION, **line})


def restore(checkpoint: Checkpoint | None) -> Call:
    """Restore empty stores, and return the entries of each."""
    said = None if checkpoint is None else checkpoint_said(TASK, checkpoint)
    return Call(call("restore", checkpoint=said).line, _entries)


def write(store: str, changes: Changes) -> Call:
    """Change a store that was restored before."""
    texts = {key.decode(): None if value is None else value.decode() for key, value in changes.items()}
    return call("write", store=store, changes=texts)


def _entries(answer: dict[str, dict[str, str]]) -> dict[str, dict[bytes, bytes]]:
    return {store: {key.encode(): value.encode() for key, value in of.items()} for store, of in answer.items()}


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
    assert ask(samza, task, restore(checkpoint)) == [expected]
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
        restore(None),
        write("orders", ORDERS),
        write("rates", RATES),
        call("commit", id=str(checkpoint_id)),
        write("orders", UNCOMMITTED),
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
