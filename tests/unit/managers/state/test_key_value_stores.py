"""Every store is a sorted map, on disk also after it was closed, and as of a checkpoint."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId
from managers.state.key_value_store import DictStore, KeyValueStore, RocksDbStore

FIRST, SECOND = CheckpointId(1, 1), CheckpointId(2, 2)
BOUND = st.none() | st.binary(max_size=2)


@pytest.mark.parametrize("open_store", [RocksDbStore, lambda _: DictStore()])
@settings(max_examples=10)
@given(st.lists(st.tuples(st.binary(max_size=2), st.none() | st.binary())), BOUND, BOUND)
def test_a_store_is_a_sorted_map(
    tmp_path_factory: pytest.TempPathFactory,
    open_store: Callable[[Path], KeyValueStore],
    changes: list[tuple[bytes, bytes | None]],
    start: bytes | None,
    end: bytes | None,
) -> None:
    directory = tmp_path_factory.mktemp("store") / "Partition_0"
    store, expected = open_store(directory), dict[bytes, bytes]()
    for key, value in changes:
        if value is None:
            store.delete(key)
            expected.pop(key, None)
        else:
            store.put(key, value)
            expected[key] = value
        assert store.get(key) == value
    within = [key for key in sorted(expected) if key >= (start or b"") and (end is None or key < end)]
    assert [*store.range(start, end)] == [(key, expected[key]) for key in within]
    for checkpoint_id, value in ((FIRST, b"1"), (SECOND, b"2"), (SECOND, b"3")):
        store.put(b"later", value)
        store.flush()
        kept = store.checkpoint(checkpoint_id)
        assert kept == (store.directory and directory.with_name(f"Partition_0-{checkpoint_id}"))
    store.put(b"later", b"4")
    store.flush()
    store.close()
    found = {path.name: open_and_read(open_store, path) for path in directory.parent.iterdir()}
    numbers = {"Partition_0-1-1": b"1", "Partition_0-2-2": b"3", "Partition_0": b"4"} if store.directory else {}
    assert found == {name: {**expected, b"later": number} for name, number in numbers.items()}


def open_and_read(open_store: Callable[[Path], KeyValueStore], directory: Path) -> dict[bytes, bytes]:
    store = open_store(directory)
    entries = dict(store.range())
    store.close()
    return entries
