"""Lines of several owners, kept apart in a temporary file."""

import errno
import os
from pathlib import Path

import pytest

from eventlog import recording_spool
from eventlog.errors import RecordingError
from eventlog.recording_spool import LineSpool


@pytest.fixture(params=[(1 << 20, 64 << 20), (25, 100), (1, 1)])
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk, held = request.param
    monkeypatch.setattr(recording_spool, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(recording_spool, "MEMORY_BYTES", held)


@pytest.mark.usefixtures("limits")
def test_each_owner_has_its_lines_back_in_order() -> None:
    with LineSpool() as spool:
        for number in range(300):
            spool.add(number % 7, b'{"number":%d,\r"x":1}\n' % number)
        spool.add(7, b"without a line feed")
        spool.flush()
        for owner in range(7):
            assert list(spool.lines(owner)) == [b'{"number":%d,\r"x":1}\n' % number for number in range(owner, 300, 7)]
        assert list(spool.lines(7)) == [b"without a line feed\n"]
        assert list(spool.lines(8)) == []


def test_its_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_spool, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(recording_spool, "MEMORY_BYTES", 10_000)
    with LineSpool() as spool:
        for number in range(2_000):
            spool.add(number % 50, b"x" * 99 + b"\n")
            assert spool._memory_bytes == sum(map(len, spool._in_memory.values())) < 10_000


def test_nothing_of_it_has_a_name_that_could_be_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LineSpool() as spool:
        spool.add("a", b"secret\n")
        spool.flush()
        assert list(spool.lines("a")) == [b"secret\n"]
        assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(recording_spool, "TemporaryFile", full)
    with LineSpool() as spool:
        spool.add("a", b"1\n")
        with pytest.raises(RecordingError, match=r"No space left on device\. Set TMPDIR to a folder with more space"):
            spool.flush()
