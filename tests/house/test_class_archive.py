"""The archives of Java classes with which the JVMs of the tests start."""

import sys
from pathlib import Path

import pytest

from tests.fixtures.class_archive import ClassArchive

JAVA = Path(sys.executable)


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    """A folder with one jar."""
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "one.jar").write_text("classes")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """An empty folder for archives."""
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def write(option: str) -> None:
    Path(option.removeprefix("-XX:ArchiveClassesAtExit=")).write_text("an archive")


def refuse(option: str) -> None:
    raise AssertionError(f"recorded again: {option}")


def used(archive: ClassArchive) -> Path:
    """The file that a JVM with the options uses."""
    return Path(archive.options[0].removeprefix("-XX:SharedArchiveFile="))


def test_an_archive_is_recorded_once(cache: Path, jars: Path) -> None:
    ClassArchive(cache, JAVA, jars).record(write)
    again = ClassArchive(cache, JAVA, jars)
    again.record(refuse)
    assert used(again).read_text() == "an archive"
    assert list(cache.glob("*.jsa")) == [used(again)]


def test_other_jars_have_their_own_archive_and_the_outdated_one_is_deleted(cache: Path, jars: Path) -> None:
    before = ClassArchive(cache, JAVA, jars)
    before.record(write)
    (jars / "one.jar").write_text("other classes")
    after = ClassArchive(cache, JAVA, jars)
    after.record(write)
    assert list(cache.glob("*.jsa")) == [used(after)] != [used(before)]


def test_a_recording_that_fails_leaves_nothing(cache: Path, jars: Path) -> None:
    def fail(option: str) -> None:
        write(option)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ClassArchive(cache, JAVA, jars).record(fail)
    assert [path.name for path in cache.iterdir()] == [".lock"]
