"""CoordinatorStreamStore, on every backend."""

import gc
import tracemalloc
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.messages import Delete, SetConfig
from eventlog.wire.coordinator import encode_key
from managers.config.job_config import read_config, write_config
from managers.errors import NotReady
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from tests.builders import config_set, set_checkpoint
from tests.contracts.event_log import STREAM
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.watched_log import RecordingLog, WatchedLog, unconditional

KEY = NamespacedKey("namespace", "test-key1")
OTHER = NamespacedKey("namespace", "test-key2")
THIRD = NamespacedKey("namespace", "test-key3")
OTHER_SPELLING = b'[1, "namespace", "test-key1"]'


@pytest.mark.scenario("CSS-01", "CSS-02", "CSS-03", "CSS-04", "CSS-05")
def test_a_store_reads_what_it_wrote(store: CoordinatorStreamStore, logs: LogMaker, coordinator_log: EventLog) -> None:
    store.delete(KEY)
    assert (store.get(KEY), store.all()) == (None, {})
    for value in (b"first", b"\x00value1\xff"):
        store.put(KEY, value)
        assert (store.get(KEY), store.all()) == (value, {KEY: value})
    store.put_all({OTHER: b"2", THIRD: b"3"})
    store.delete(OTHER)
    assert store.all("namespace") == {KEY: b"\x00value1\xff", THIRD: b"3"}
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        assert another.all() == store.all()
    assert next(iter(coordinator_log.read())).key == b'[1,"namespace","test-key1"]'


def test_every_live_spelling_is_deleted(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    coordinator_log.append([NewEvent(OTHER_SPELLING, b"1"), NewEvent(encode_key(*KEY), b"2")])
    assert store.get(KEY) == b"2"
    store.delete(KEY)
    assert store.all() == {}
    ended = {event.key for event in coordinator_log.read() if event.value is None}
    assert ended == {OTHER_SPELLING, encode_key(*KEY)}


@pytest.mark.scenario("CSS-11")
def test_a_store_that_is_not_open_raises() -> None:
    log = RecordingLog()
    store = CoordinatorStreamStore(log)
    for ask in (lambda: store.get(KEY), store.all, lambda: store.put(KEY, b""), lambda: store.delete(KEY)):
        with pytest.raises(NotReady, match=r"__samza_coordinator_orders_1 is not open. Call init\(\) first"):
            ask()
    with store:
        store.put(KEY, b"v")
    with pytest.raises(NotReady):
        store.get(KEY)
    log.calls.clear()
    store.init()
    store.init()
    assert log.calls == ["read 0"]
    assert store.get(KEY) == b"v"


@pytest.mark.scenario("CSS-15")
def test_results_are_immutable(store: CoordinatorStreamStore) -> None:
    store.put(KEY, b"v")
    read: Any = store.all()
    with pytest.raises(TypeError):
        read[KEY] = b"other"
    store.delete(KEY)
    assert read == {KEY: b"v"}


def test_messages_are_written_in_order_and_at_once() -> None:
    log = RecordingLog()
    log.append([NewEvent(b'[1, "set-config", "a"]', b'{"values":{"value":"0"}}'), config_set("b", "0")])
    with CoordinatorStreamStore(log) as store:
        ends = [Delete(message_type="set-config", key=key) for key in ("a", "b", "never")]
        store.write([*ends, SetConfig(config_key="b", config_value="1"), SetConfig(config_key="c", config_value="2")])
        assert read_config(store) == {"b": "1", "c": "2"}
        store.write(iter(()))
    assert [call for call in log.calls if call.startswith("append")] == ["append 2", "append 5"]
    written = [(event.key, event.value is None) for event in log.read(2)]
    keys = [b'[1, "set-config", "a"]', *(encode_key("set-config", key) for key in ("b", "never", "b", "c"))]
    assert written == list(zip(keys, [True] * 3 + [False] * 2, strict=True))


def test_values_are_bytes_and_keys_are_strings(store: CoordinatorStreamStore) -> None:
    wrong: Any = None
    with pytest.raises(TypeError, match="to remove a key, delete it"):
        store.put(KEY, wrong)
    with pytest.raises(TypeError, match="must be strings, not NoneType"):
        store.put(NamespacedKey("namespace", wrong), b"")
    with pytest.raises(ValueError, match="unpaired surrogate"):
        store.put(NamespacedKey("namespace", "\ud800"), b"")
    assert store.all() == {}


def test_messages_are_as_the_relations_show_them(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    key = encode_key("set-config", "a")
    null = b'{"values":{"value":null}}'
    coordinator_log.append([config_set("a", "1"), config_set("b", "2"), NewEvent(key, b"garbage")])
    assert {name: said.config_value for name, said in configs(store).items()} == {"a": "1", "b": "2"}
    assert store.get(NamespacedKey("set-config", "a")) == b"garbage"
    coordinator_log.append([NewEvent(key, null)])
    assert list(configs(store)) == ["b"]
    coordinator_log.append([NewEvent(b"garbage", b"x"), NewEvent(encode_key("set-config", "c"), b"garbage")])
    assert list(configs(store)) == ["b"]


def test_the_last_readable_value_of_a_key_is_searched_once() -> None:
    log = RecordingLog()
    with CoordinatorStreamStore(log) as store:
        for value in "1", "2":
            log.append([config_set("a", value), NewEvent(encode_key("set-config", "a"), b"garbage")])
            assert [read_config(store) for _ in range(2)] == [{"a": value}] * 2
    assert log.calls.count("read 0") == 2


def test_an_update_sets_first_and_deletes_then_in_one_write() -> None:
    log = RecordingLog()
    with CoordinatorStreamStore(log) as store:
        store.put_all({KEY: b"old", OTHER: b"same"})
        log.calls.clear()
        store.update(lambda stored: {OTHER: stored[OTHER], THIRD: b"new", KEY: None, NamespacedKey("n", "none"): None})
        assert (store.all(), log.calls) == ({OTHER: b"same", THIRD: b"new"}, ["append 2"])
        store.update(lambda _stored: {OTHER: b"same"})
        assert log.calls == ["append 2"]
    with pytest.raises(NotReady):
        store.update(lambda _stored: {})


def test_an_update_is_made_of_what_others_wrote_meanwhile(logs: LogMaker, coordinator_log: EventLog) -> None:
    log = WatchedLog(logs.open_again(coordinator_log))
    with CoordinatorStreamStore(coordinator_log) as other, CoordinatorStreamStore(log) as store:
        other.put(KEY, b"1")
        log.meanwhile = lambda: other.put(KEY, b"12")
        store.update(lambda stored: {KEY: stored[KEY] + b"3", OTHER: stored[KEY]})
        assert store.all() == other.all() == {KEY: b"123", OTHER: b"12"}


def test_an_update_takes_nothing_of_its_own_for_what_others_wrote() -> None:
    hiding = RecordingLog()
    log = unconditional(hiding)

    def others_write() -> None:
        hiding.append([config_set("a", "1"), config_set("b", "1")])
        hiding.lags = 2  # b is in a transaction that is open, and hides what we append then

    def change(stored: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes]:
        hiding.lags = 2 if len(stored) == 1 else 0
        return {KEY: stored[KEY] + b"%d" % len(stored)}

    with CoordinatorStreamStore(log) as store:
        store.put(KEY, b"0")
        log.meanwhile = others_write
        store.update(change)
        assert store.get(KEY) == b"03"


def test_more_than_a_log_takes_at_once_is_updated_in_parts(store: CoordinatorStreamStore) -> None:
    entries: dict[NamespacedKey, bytes | None] = {NamespacedKey("n", str(at)): b"x" * 400_000 for at in range(3)}
    store.update(lambda _stored: entries)
    assert store.all() == entries
    store.update(dict.fromkeys)
    assert store.all() == {}


@pytest.mark.scenario("HRD-06")
def test_threads_see_whole_configs_while_others_write(
    store: CoordinatorStreamStore, logs: LogMaker, coordinator_log: EventLog
) -> None:
    done = Event()

    def read() -> list[str]:
        seen: list[str] = []
        while not done.is_set():
            values = list(read_config(store).values())
            assert (len(values), len(set(values))) in ((0, 0), (40, 1)), "a mixture of configs was seen"
            seen += set(values)
        return seen

    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as other, ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        for turn in range(30):
            write_config(other, {f"key {number}": f"turn {turn:03}" for number in range(40)})
        done.set()
        assert all(reader.result() == sorted(reader.result()) for reader in readers)


def commit_or_config(offset: int) -> NewEvent:
    """A config of 300 keys, and then commits of 100 tasks in turn."""
    if offset < 300:
        return config_set(f"systems.kafka.streams.topic-{offset}.samza.offset.default", "oldest")
    return set_checkpoint(f"Partition {offset % 100}", {"kafka.page-views.0": f"{offset:09}"})


@pytest.mark.scenario("HRD-04")
def test_memory_goes_with_living_keys_and_not_with_history() -> None:
    events = [commit_or_config(offset) for offset in range(10_000)]
    whole, compacted = MemoryEventLog(STREAM), MemoryEventLog(STREAM)
    whole.append(events)
    compacted.append(list({event.key: event for event in events}.values()))
    held_bytes(compacted)  # what is loaded and cached once
    assert held_bytes(whole) < 1.1 * held_bytes(compacted)


def held_bytes(log: EventLog) -> int:
    """The memory that a store of a log takes, without what threads of Kafka's client take meanwhile."""
    tracemalloc.start()
    with CoordinatorStreamStore(log):
        gc.collect()
        held = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/managers/*")])
    tracemalloc.stop()
    return sum(trace.size for trace in held.traces)


def configs(store: CoordinatorStreamStore) -> dict[str, SetConfig]:
    return {key: said for key, said in store.messages("set-config").items() if isinstance(said, SetConfig)}
