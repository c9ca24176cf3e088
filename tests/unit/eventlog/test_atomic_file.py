"""Files that appear whole, or not at all, and what is written to instead of replaced."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eventlog.atomic_file import atomic_file


def replace(path: Path, contents: bytes) -> None:
    with atomic_file(path) as file:
        file.write(contents)


def test_a_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with atomic_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("exists", [True, False])
def test_the_target_of_a_symbolic_link_is_replaced(tmp_path: Path, *, exists: bool) -> None:
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.parent.mkdir()
    if exists:
        target.write_bytes(b"old")
    link.symlink_to("folder/target")
    replace(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_fifo_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(path.read_bytes)
        replace(path, b"new")
        assert read.result() == b"new"
    assert path.is_fifo()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        replace(tmp_path, b"new")
