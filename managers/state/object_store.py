"""ObjectStore: a folder of any file system of fsspec (local, S3, GCS, Azure, HDFS, …)."""

import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from managers.state.state_errors import MissingPackage

_LOCAL: Final = "file"


class ObjectStore:
    """Writes, reads and deletes whole objects by their paths below a root. A written object is complete or absent.

    Raises what the file system raises: FileNotFoundError for a missing object, mostly OSError.
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        """``url`` without a protocol is a local folder. ``options`` are those of the file system.

        Raises:
            MissingPackage: fsspec is not installed.
            ImportError: the package of the file system is not installed.
        """
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 (of the extra `state`)
        except ImportError as error:
            raise MissingPackage("An object store", "fsspec") from error
        self._fs, root = url_to_fs(url, **options)
        self._root: Final = str(root).rstrip("/")
        self._is_local: Final = _LOCAL in (self._fs.protocol if isinstance(self._fs.protocol, tuple) else ())

    def sizes(self, folder: str) -> dict[str, int]:
        """The size of each object below a folder, by its path in the folder."""
        start = f"{self._path(folder)}/"
        self._fs.invalidate_cache()  # another process may have written
        found = self._fs.find(start, detail=True)
        return {path[len(start) :]: int(of["size"]) for path, of in found.items() if path.startswith(start)}

    def put(self, path: str, local: Path) -> None:
        """Write a local file as an object."""
        target = self._path(path)
        if self._is_local:
            _copy_durably(local, Path(target))
        else:
            self._fs.put_file(str(local), target)

    def put_bytes(self, path: str, data: bytes) -> None:
        """Write an object."""
        target = self._path(path)
        if self._is_local:
            _write_durably(data, Path(target))
        else:
            self._fs.pipe_file(target, data)

    def get(self, path: str, local: Path) -> None:
        """Write an object to a local file."""
        self._fs.get_file(self._path(path), str(local))

    def get_bytes(self, path: str) -> bytes:
        """The content of an object."""
        return bytes(self._fs.cat_file(self._path(path)))

    def delete(self, paths: Collection[str]) -> None:
        """Delete objects, if they exist."""
        for path in paths:
            try:
                self._fs.rm_file(self._path(path))
            except FileNotFoundError:
                continue

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"


def _copy_durably(source: Path, target: Path) -> None:
    written = _beside(target)
    with source.open("rb") as read, written.open("wb") as file:
        shutil.copyfileobj(read, file, 1 << 20)
        file.flush()
        os.fsync(file.fileno())
    written.replace(target)


def _write_durably(data: bytes, target: Path) -> None:
    written = _beside(target)
    with written.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    written.replace(target)


def _beside(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.with_name(f"{target.name}.{uuid4().hex}")
