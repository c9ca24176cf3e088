from collections.abc import Iterator
from pathlib import Path

import pytest

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.account import ServerAccount
from coordstream.postgres.data_folder import DataFolderMaker, refuse_other_version
from tests.fixtures.postgres_server import temporary_home


@pytest.fixture
def home() -> Iterator[Path]:
    with temporary_home() as folder:
        yield folder


def test_no_data_and_data_of_this_version_are_fine(home: Path) -> None:
    refuse_other_version(home / "18", 18)
    _data_of(home / "18", 18)
    _data_of(home / "17", 17)
    refuse_other_version(home / "18", 18)


@pytest.mark.parametrize(("folder", "version"), [("18", 17), ("17", 17), ("9", 9)])
def test_data_of_another_version_is_refused(home: Path, folder: str, version: int) -> None:
    _data_of(home / folder, version)
    with pytest.raises(EmbeddedPostgresError) as refused:
        refuse_other_version(home / "18", 18)
    assert str(refused.value) == (
        f"the data folder {home / folder} was made by Postgres {version} and this program runs Postgres 18: "
        "dump it with the coordstream that made it, or move it away to start anew."
    )


@pytest.mark.parametrize("failing", ["initdb", "postgres"])
def test_a_failure_is_told_in_one_sentence_and_leaves_nothing(home: Path, failing: str) -> None:
    programs = home / "bin"
    programs.mkdir()
    for name in ("initdb", "postgres"):
        _program(programs / name, "echo no room. >&2\nexit 1" if name == failing else 'mkdir "$2"')
    maker = DataFolderMaker(programs, 18, ServerAccount("this user"))
    (home / "18.new-left-by-a-crash").mkdir()
    sentence = rf"/{failing} could not make the data folder as this user: no room\. See that"
    with pytest.raises(EmbeddedPostgresError, match=sentence):
        maker.make(home / "18", "hunter2")
    assert [path.name for path in home.iterdir()] == ["bin"]


def _data_of(folder: Path, version: int) -> None:
    folder.mkdir()
    (folder / "PG_VERSION").write_text(f"{version}\n")


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
