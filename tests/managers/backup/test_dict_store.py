"""DictStore: read-your-writes, ranges, its file and its checkpoints."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId
from managers.backup.dict_store import ENTRIES_FILE, DictStore
from managers.backup.key_value_store import KeyValueStore
from managers.backup.state_errors import StoreUnreadable

FIRST, SECOND = CheckpointId(1, 1), CheckpointId(2, 2)


def test_a_read_sees_all_earlier_writes() -> None:
    store: KeyValueStore = DictStore()
    store.put(b"a", b"1")
    store.put(b"b", b"2")
    store.put(b"a", b"3")
    store.delete(b"b")
    store.delete(b"absent")
    assert (store.get(b"a"), store.get(b"b")) == (b"3", None)


def test_a_range_has_a_start_and_no_end() -> None:
    store = DictStore()
    for key in (b"c", b"a", b"b", b"\xff"):
        store.put(key, key)
    assert [key for key, _ in store.range(b"a", b"c")] == [b"a", b"b"]
    assert [key for key, _ in store.range(b"b")] == [b"b", b"c", b"\xff"]
    assert [key for key, _ in store.range(end=b"b")] == [b"a"]


def test_entries_are_deleted_while_a_range_is_read() -> None:
    store = DictStore()
    for key in (b"a", b"b", b"c"):
        store.put(key, key)
    read = store.range()
    assert next(read) == (b"a", b"a")
    store.delete(b"b")
    assert list(read) == [(b"c", b"c")]


def test_a_store_in_memory_has_no_checkpoint() -> None:
    store = DictStore()
    store.flush()
    assert (store.directory, store.checkpoint(FIRST)) == (None, None)


@settings(max_examples=20)
@given(entries=st.dictionaries(st.binary(), st.binary()))
def test_flushed_entries_come_back(tmp_path_factory: pytest.TempPathFactory, entries: dict[bytes, bytes]) -> None:
    directory = tmp_path_factory.mktemp("store") / "task"
    store = DictStore(directory)
    for key, value in entries.items():
        store.put(key, value)
    store.flush()
    store.put(b"not flushed", b"")
    assert dict(DictStore(directory).range()) == entries


def test_a_checkpoint_stays_as_it_was(tmp_path: Path) -> None:
    store = DictStore(tmp_path / "store" / "Partition_0")
    store.put(b"a", b"1")
    store.flush()
    kept = store.checkpoint(FIRST)
    store.put(b"a", b"2")
    store.flush()
    store.checkpoint(SECOND)
    assert kept == tmp_path / "store" / "Partition_0-1-1"
    assert dict(DictStore(kept).range()) == {b"a": b"1"}
    assert dict(DictStore(tmp_path / "store" / "Partition_0-2-2").range()) == {b"a": b"2"}


@pytest.mark.parametrize("length", [3, 8, 9])
def test_an_incomplete_file_is_rejected(tmp_path: Path, length: int) -> None:
    store = DictStore(tmp_path)
    store.put(b"key", b"value")
    store.flush()
    file = tmp_path / ENTRIES_FILE
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(StoreUnreadable, match=r"is incomplete\. Delete the store's directory"):
        DictStore(tmp_path)
