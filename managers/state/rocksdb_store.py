"""RocksDbStore: a store in RocksDB, for state larger than memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from eventlog.checkpoint import CheckpointId
from managers.state.state_errors import StoreUnreadable, missing_package
from managers.state.store_directories import checkpoint_directory, delete_directory, require_kind

if TYPE_CHECKING:
    from rocksdict import Options

_DAMAGED: Final = "Corruption"
"""How the text of an error of RocksDB begins if a file is damaged. rocksdict has one class for all errors."""


class RocksDbStore:
    """A `KeyValueStore` whose checkpoints share its sorted files by hard links, and take as long as its last flush."""

    def __init__(self, directory: Path, options: "Options | None" = None) -> None:
        """Open the database in ``directory``, or create it. ``options`` must be in raw mode.

        Raises what RocksDB raises, an Exception; `StateError` if rocksdict is not installed; `StoreUnreadable` if the
        directory is that of a `DictStore`, or a file in it is damaged.
        """
        try:
            from rocksdict import Checkpoint, Options, Rdict, WriteBatch, WriteOptions  # noqa: PLC0415 (of the extra `state`)
        except ImportError as error:
            raise missing_package("A RocksDB store", "rocksdict") from error
        require_kind(directory, "RocksDbStore")
        directory.mkdir(parents=True, exist_ok=True)
        self.directory: Final = directory
        with _naming_damage(directory):
            self._database: Final = Rdict(str(directory), Options(raw_mode=True) if options is None else options)
        self._checkpoint: Final = Checkpoint
        self._new_batch: Final = WriteBatch
        self._unlogged: Final = WriteOptions()
        self._unlogged.disable_wal = True  # type: ignore[method-assign, assignment] # its stub is wrong
        self._is_closed = False

    def get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._database.get(key)
        return value

    def put(self, key: bytes, value: bytes) -> None:
        self._database.put(key, value)

    def delete(self, key: bytes) -> None:
        self._database.delete(key)

    def load_changes(self, changes: Mapping[bytes, bytes | None]) -> None:
        """See `BulkLoading.load_changes`: one batch that is not in the write-ahead log."""
        batch = self._new_batch(raw_mode=True)
        for key, value in changes.items():
            if value is None:
                batch.delete(key)
            else:
                batch.put(key, value)
        self._database.write(batch, self._unlogged)

    def range(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """See `KeyValueStore.range`. Shows the entries as of the call."""
        entries = cast("Iterator[tuple[bytes, bytes]]", self._database.items(from_key=start))
        return entries if end is None else takewhile(lambda entry: entry[0] < end, entries)

    def flush(self) -> None:
        self._database.flush()

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        directory = checkpoint_directory(self.directory, checkpoint_id)
        delete_directory(directory)
        self._checkpoint(self._database).create_checkpoint(str(directory))
        return directory

    def close(self) -> None:
        if not self._is_closed:
            self._database.close()
        self._is_closed = True


@contextmanager
def _naming_damage(directory: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not str(error).startswith(_DAMAGED):
            raise
        raise StoreUnreadable(directory, f"is damaged ({str(error).splitlines()[0].rstrip('.')})") from error
