"""What a key of the coordinator stream names, and the compacted view of the stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from managers.stores.keyed_state import KeyedState, NamespacedKey, encode_name, read_name
from tests.fixtures.compaction import latest_per_key


@pytest.mark.scenario("CSS-09")
def test_a_key_has_the_name_that_samza_gives_it_in_memory() -> None:
    key = NamespacedKey("set-config", "job.name")
    assert str(key) == '{"key":"job.name","namespace":"set-config"}'
    assert NamespacedKey.parse(str(key)) == key
    with pytest.raises(WireError, match="not an object with the strings"):
        NamespacedKey.parse('{"key":1,"namespace":"set-config"}')


@pytest.mark.scenario("CSS-09")
@given(st.text(), st.text())
def test_any_key_comes_back(namespace: str, key: str) -> None:
    named = NamespacedKey(namespace, key)
    assert NamespacedKey.parse(str(named)) == named
    if namespace != "set-task-partition-assignment":
        assert read_name(encode_name(named)) == named


@pytest.mark.parametrize("text", ['{"system":"s","partition":0}', "no JSON"])
def test_what_names_no_partition_is_itself(text: str) -> None:
    named = NamespacedKey("set-task-partition-assignment", text)
    assert read_name(encode_name(named)) == named


@pytest.mark.parametrize(
    "key", [b"", b"garbage", b'[1,"set-config",null]', b'[1,"a\nb","c"]', b'[1,"a","\xff"]', b"{}"]
)
def test_a_key_that_cannot_be_read_names_nothing(key: bytes) -> None:
    assert read_name(key) is None


A = NamespacedKey("set-config", "a")
SPELLINGS = (b'[1,"set-config","a"]', b'[1, "set-config", "a"]', b'[2,"set-config","a"]', b'[1,"set-config","b"]')
KEYS = st.sampled_from((*SPELLINGS, b"garbage", None))
VALUES = st.sampled_from((b"1", b"2", b"unreadable", b"deleted", None))


def read(_key: bytes, value: bytes) -> bytes | None:
    if value == b"unreadable":
        raise WireError("not_json", "no value")
    return None if value == b"deleted" else value


def event(offset: int, key: bytes | None, value: bytes | None) -> RecordedEvent:
    return RecordedEvent(offset, 0, 0, key, value)


def state_of(events: list[RecordedEvent]) -> KeyedState[bytes]:
    state = KeyedState(read)
    for each in events:
        state.apply(each)
    return state


@given(st.lists(st.tuples(KEYS, VALUES), max_size=20), st.integers(0, 20))
def test_any_compaction_leaves_the_same_state(said: list[tuple[bytes | None, bytes | None]], upto: int) -> None:
    said = [(key, value) for key, value in said if value != b"unreadable"]
    events = [event(offset, key, value) for offset, (key, value) in enumerate(said)]
    expected = dict(state_of(events).items())
    assert dict(state_of(latest_per_key(events, upto=upto)).items()) == expected
    assert dict(state_of(latest_per_key(events, keep_tombstones=False)).items()) == expected
