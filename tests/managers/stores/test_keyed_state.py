"""The compacted view of a coordinator stream."""

from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from managers.stores.keyed_state import KeyedState, NamespacedKey
from tests.fixtures.compaction import latest_per_key

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
