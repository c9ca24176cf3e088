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


def test_the_newest_spelling_that_lives_is_shown() -> None:
    state = state_of([event(0, SPELLINGS[0], b"old"), event(1, SPELLINGS[1], b"new")])
    assert state.get(A) == b"new"
    assert list(state.spellings(A)) == [SPELLINGS[0], SPELLINGS[1]]
    state.apply(event(2, SPELLINGS[1], None))
    assert (state.get(A), list(state.items())) == (b"old", [(A, b"old")])
    state.apply(event(3, SPELLINGS[0], b"deleted"))
    assert (state.get(A), list(state.items()), state.spellings(A)) == (None, [], {})


def test_what_cant_be_read_changes_nothing() -> None:
    state = state_of([event(0, SPELLINGS[0], b"1")])
    assert state.apply(event(1, SPELLINGS[0], b"unreadable")) == A
    assert state.apply(event(2, b"garbage", b"2")) is None
    assert state.apply(event(3, None, b"2")) is None
    assert dict(state.items()) == {A: b"1"}


def test_spellings_of_a_partition_are_one_key() -> None:
    old = b'[1,"set-task-partition-assignment","{\\"stream\\":\\"s\\",\\"system\\":\\"k\\",\\"partition\\":0}"]'
    state = state_of([event(0, old, b"1")])
    ((name, _),) = state.items("set-task-partition-assignment")
    assert name.key == '{"system":"k","partition":0,"stream":"s","keyBucket":-1}'


@given(st.lists(st.tuples(KEYS, VALUES), max_size=20), st.integers(0, 20))
def test_any_compaction_leaves_the_same_state(said: list[tuple[bytes | None, bytes | None]], upto: int) -> None:
    said = [(key, value) for key, value in said if value != b"unreadable"]
    events = [event(offset, key, value) for offset, (key, value) in enumerate(said)]
    expected = dict(state_of(events).items())
    assert dict(state_of(latest_per_key(events, upto=upto)).items()) == expected
    assert dict(state_of(latest_per_key(events, keep_tombstones=False)).items()) == expected
