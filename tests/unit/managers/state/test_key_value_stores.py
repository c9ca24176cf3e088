"""Every store: read-your-writes, ranges, flushed entries and checkpoints."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId
from managers.state.key_value_store import BulkLoading, DictStore, KeyValueStore, RocksDbStore
from managers.state.state_errors import StoreUnreadable

FIRST, SECOND = CheckpointId(1, 1), CheckpointId(2, 2)
ON_DISK: list[Callable[[Path], KeyValueStore]] = [DictStore, RocksDbStore]

on_disk = pytest.mark.parametrize("open_store", ON_DISK)
every_store = pytest.mark.parametrize("open_store", [*ON_DISK, lambda _: DictStore()])


@every_store
def test_a_read_sees_all_earlier_writes(open_store: Callable[[Path], KeyValueStore], tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put(b"a", b"1")
    store.put(b"b", b"2")
    store.put(b"a", b"3")
    store.delete(b"b")
    store.delete(b"absent")
    assert (store.get(b"a"), store.get(b"b")) == (b"3", None)
    store.close()


@every_store
def test_a_range_has_a_start_and_no_end(open_store: Callable[[Path], KeyValueStore], tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for key in (b"c", b"a", b"b", b"\xff", b""):
        store.put(key, key)
    assert [key for key, _ in store.range(b"a", b"c")] == [b"a", b"b"]
    assert [key for key, _ in store.range(b"b")] == [b"b", b"c", b"\xff"]
    assert [key for key, _ in store.range(end=b"b")] == [b"", b"a"]
    store.close()


def test_rocksdb_loads_many_changes_at_once(tmp_path: Path) -> None:
    store = RocksDbStore(tmp_path)
    assert isinstance(store, BulkLoading)
    store.put(b"b", b"old")
    store.put(b"c", b"old")
    store.load_changes({b"a": b"", b"b": b"new", b"c": None, b"absent": None})
    assert [*store.range()] == [(b"a", b""), (b"b", b"new")]
    store.flush()
    store.close()
    again = RocksDbStore(tmp_path)
    assert [*again.range()] == [(b"a", b""), (b"b", b"new")]
    again.close()


@on_disk
@settings(max_examples=20)
@given(entries=st.dictionaries(st.binary(), st.binary()))
def test_flushed_entries_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    open_store: Callable[[Path], KeyValueStore],
    entries: dict[bytes, bytes],
) -> None:
    directory = tmp_path_factory.mktemp("store") / "task"
    store = open_store(directory)
    for key, value in entries.items():
        store.put(key, value)
    store.flush()
    store.close()
    again = open_store(directory)
    assert dict(again.range()) == entries
    again.close()


@on_disk
def test_a_checkpoint_stays_as_it_was(open_store: Callable[[Path], KeyValueStore], tmp_path: Path) -> None:
    store = open_store(tmp_path / "store" / "Partition_0")
    for number, checkpoint_id in enumerate((FIRST, SECOND, SECOND)):
        store.put(b"a", b"%d" % number)
        store.flush()
        kept = store.checkpoint(checkpoint_id)
        assert kept == tmp_path / "store" / f"Partition_0-{checkpoint_id}"
    store.close()
    for name, value in (("Partition_0-1-1", b"0"), ("Partition_0-2-2", b"2")):
        read = open_store(tmp_path / "store" / name)
        assert dict(read.range()) == {b"a": value}
        read.close()


@pytest.mark.parametrize("length", [3, 8, 9])
def test_an_incomplete_file_is_rejected(tmp_path: Path, length: int) -> None:
    store = DictStore(tmp_path)
    store.put(b"key", b"value")
    store.flush()
    file = tmp_path / "entries"
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(StoreUnreadable, match=r"is incomplete\. Delete the store's directory"):
        DictStore(tmp_path)
