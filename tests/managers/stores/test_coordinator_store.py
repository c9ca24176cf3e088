"""CoordinatorStreamStore, on every backend."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog
from eventlog.messages import Delete, SetConfig
from eventlog.streams import identify
from eventlog.wire.coordinator import encode_key
from managers.config.job_config import read_config, set_config, write_config
from managers.errors import NotReady
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from tests.builders import config_set, set_checkpoint
from tests.contracts.event_log import STREAM
from tests.fixtures.kafka_topics import COMPACTED_SOON, Topics
from tests.managers.held_memory import held_bytes
from tests.managers.interrupted_log import InterruptedLog, UnconditionalLog
from tests.managers.log_makers import LogMaker
from tests.managers.made_log import MadeLog
from tests.managers.recording_log import RecordingLog
from tests.managers.snapshot_readers import check_snapshots, snapshot

KEY = NamespacedKey("namespace", "test-key1")
OTHER = NamespacedKey("namespace", "test-key2")
THIRD = NamespacedKey("namespace", "test-key3")
OTHER_SPELLING = b'[1, "namespace", "test-key1"]'


@pytest.fixture
def store(coordinator_log: EventLog) -> CoordinatorStreamStore:
    store = CoordinatorStreamStore(coordinator_log)
    store.init()
    return store


@pytest.mark.scenario("CSS-01")
def test_a_store_reads_what_it_wrote(store: CoordinatorStreamStore, logs: LogMaker, coordinator_log: EventLog) -> None:
    assert store.get(KEY) is None
    store.put(KEY, b"\x00value1\xff")
    assert store.get(KEY) == b"\x00value1\xff"
    assert store.all() == {KEY: b"\x00value1\xff"}
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        assert another.all() == store.all()
    assert [event.key for event in coordinator_log.read()] == [b'[1,"namespace","test-key1"]']


@pytest.mark.scenario("CSS-02")
def test_a_deleted_key_has_no_value(store: CoordinatorStreamStore) -> None:
    store.put(KEY, b"test-value1")
    store.delete(KEY)
    assert (store.get(KEY), store.all()) == (None, {})


@pytest.mark.scenario("CSS-03")
def test_a_key_that_was_never_written(store: CoordinatorStreamStore) -> None:
    assert store.get(NamespacedKey("namespace", "randomKey")) is None
    store.delete(NamespacedKey("namespace", "randomKey"))
    assert store.all() == {}


@pytest.mark.scenario("CSS-04")
def test_the_last_value_counts(store: CoordinatorStreamStore) -> None:
    store.put(KEY, b"test-value1")
    store.put(KEY, b"test-value2")
    assert (store.get(KEY), store.all()) == (b"test-value2", {KEY: b"test-value2"})


@pytest.mark.scenario("CSS-05")
def test_put_all_is_like_single_puts(store: CoordinatorStreamStore) -> None:
    entries = {NamespacedKey("namespace", f"test-key{number}"): b"v%d" % number for number in range(5)}
    store.put(NamespacedKey("namespace", "before"), b"stays")
    store.put_all(entries)
    assert {key: store.get(key) for key in entries} == entries
    assert len(store.all("namespace")) == 6


def test_writes_of_others_are_read(store: CoordinatorStreamStore, logs: LogMaker, coordinator_log: EventLog) -> None:
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as other:
        other.put(KEY, b"theirs")
        assert store.get(KEY) == b"theirs"
        store.put(KEY, b"ours")
        assert other.get(KEY) == b"ours"
        other.delete_all([KEY, NamespacedKey("namespace", "x")])
        assert store.all() == {}


def test_every_live_spelling_is_deleted(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    coordinator_log.append([NewEvent(OTHER_SPELLING, b"1"), NewEvent(encode_key(*KEY), b"2")])
    assert store.get(KEY) == b"2"
    store.delete(KEY)
    assert store.all() == {}
    ended = {event.key for event in coordinator_log.read() if event.value is None}
    assert ended == {OTHER_SPELLING, encode_key(*KEY)}


@pytest.mark.scenario("CSS-11")
def test_a_store_is_initialized_once() -> None:
    log = RecordingLog()
    log.append([config_set("a", "1")])
    store = CoordinatorStreamStore(log)
    store.init()
    store.init()
    assert log.calls == ["append 1", "read 0"]


def test_a_store_that_is_not_open_raises() -> None:
    store = CoordinatorStreamStore(RecordingLog())
    for ask in (lambda: store.get(KEY), store.all, lambda: store.put(KEY, b""), lambda: store.delete(KEY)):
        with pytest.raises(NotReady, match=r"__samza_coordinator_orders_1 is not open. Call init\(\) first"):
            ask()
    with store:
        store.put(KEY, b"v")
    with pytest.raises(NotReady):
        store.get(KEY)
    store.init()
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
    log = InterruptedLog(logs.open_again(coordinator_log))
    with CoordinatorStreamStore(coordinator_log) as other, CoordinatorStreamStore(log) as store:
        other.put(KEY, b"1")
        log.meanwhile = lambda: other.put(KEY, b"12")
        store.update(lambda stored: {KEY: stored[KEY] + b"3", OTHER: stored[KEY]})
        assert store.all() == other.all() == {KEY: b"123", OTHER: b"12"}


def test_an_update_takes_nothing_of_its_own_for_what_others_wrote() -> None:
    hiding = RecordingLog()
    log = UnconditionalLog(hiding)

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
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as other:
        check_snapshots(
            lambda turn: write_config(other, snapshot(turn)),
            lambda: read_config(store).values(),
            lambda: [json.loads(value)["values"]["value"] for value in store.all("set-config").values()],
        )


def commit_or_config(offset: int) -> NewEvent:
    """A config of 300 keys, and then commits of 100 tasks in turn."""
    if offset < 300:
        return config_set(f"systems.kafka.streams.topic-{offset}.samza.offset.default", "oldest")
    return set_checkpoint(f"Partition {offset % 100}", {"kafka.page-views.0": f"{offset:09}"})


@pytest.mark.scenario("HRD-04")
def test_memory_goes_with_living_keys_and_not_with_history() -> None:
    log = MadeLog(STREAM, commit_or_config)
    log.end = 400
    with held_bytes() as held, CoordinatorStreamStore(log) as store:
        at_first = held()
        log.end = 10_000
        assert len(read_config(store)) == 300
        in_the_end = held()
        live = sum(len(name.namespace) + len(name.key) + len(value) for name, value in store.all().items())
    assert in_the_end < at_first + live / 10  # less than a byte for each of 9,600 events
    assert in_the_end < 2 * live
    assert log.reads == [(0, 400), (400, 10_000)]


def configs(store: CoordinatorStreamStore) -> dict[str, SetConfig]:
    return {key: said for key, said in store.messages("set-config").items() if isinstance(said, SetConfig)}


def opened(kafka_options: KafkaOptions, topic: str) -> EventLog:
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

    return KafkaEventLog(kafka_options, identify(topic))


def test_a_topic_that_ends_with_a_marker_is_read_to_its_end(
    kafka_options: KafkaOptions, topics: Topics, coordinator_topic: str
) -> None:
    topics.write_transaction(coordinator_topic, [config_set("a", "1")])
    topics.write_transaction(coordinator_topic, [config_set("a", "2")], commit=False)
    with opened(kafka_options, coordinator_topic) as log, CoordinatorStreamStore(log) as store:
        assert (read_config(store), store.position) == ({"a": "1"}, 4)


def test_own_writes_are_read_behind_a_transaction_that_is_open(
    kafka_options: KafkaOptions, topics: Topics, coordinator_topic: str
) -> None:
    with opened(kafka_options, coordinator_topic) as log, CoordinatorStreamStore(log) as store:
        with topics.transaction(coordinator_topic, [config_set("a", "theirs")]) as theirs:
            set_config(store, "a", "ours")
            assert (read_config(store), store.position) == ({"a": "ours"}, 0)
            theirs.commit_transaction()
        set_config(store, "b", "ours")
        assert (read_config(store), store.position) == ({"a": "ours", "b": "ours"}, 4)


@pytest.mark.slow
def test_a_topic_whose_tail_was_compacted_away_is_read_to_its_end(
    kafka_options: KafkaOptions, topics: Topics, job_name: str
) -> None:
    topic = topics.create(f"__samza_coordinator_{job_name}_1", COMPACTED_SOON)
    with opened(kafka_options, topic) as log, CoordinatorStreamStore(log) as store:
        set_config(store, "a", "1")
        set_config(store, "b", "1")
        store.delete(NamespacedKey("set-config", "b"))
        kept = topics.compact(topic, tombstones_too=True)
        assert [record.offset for record in kept] == [0]
        with CoordinatorStreamStore(log) as anew:
            assert read_config(anew) == read_config(store) == {"a": "1"}
            assert anew.position == topics.end_offset(topic) > 3
