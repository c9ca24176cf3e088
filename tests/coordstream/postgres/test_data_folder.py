from collections.abc import Iterator
from pathlib import Path

import pytest

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.account import ServerAccount
from coordstream.postgres.data_folder import DataFolderCreation, refuse_other_version
from tests.fixtures.postgres_server import temporary_home


@pytest.fixture
def home() -> Iterator[Path]:
    with temporary_home() as folder:
        yield folder


def test_no_data_and_data_of_this_version_are_accepted(home: Path) -> None:
    refuse_other_version(home / "18", 18)
    _data_of(home / "18", 18)
    _data_of(home / "17", 17)
    refuse_other_version(home / "18", 18)


@pytest.mark.parametrize(("folder", "version"), [("18", 17), ("17", 17), ("9", 9)])
def test_data_of_another_version_is_rejected(home: Path, folder: str, version: int) -> None:
    _data_of(home / folder, version)
    with pytest.raises(EmbeddedPostgresError) as refused:
        refuse_other_version(home / "18", 18)
    assert str(refused.value) == (
        f"Data folder '{home / folder}' was created by Postgres {version}, but this is Postgres 18. "
        "Dump it with the coordstream that created it, or move it away to start with an empty database."
    )


@pytest.mark.parametrize("failing", ["initdb", "postgres"])
def test_a_failure_is_reported_and_leaves_no_files(home: Path, failing: str) -> None:
    programs = home / "bin"
    programs.mkdir()
    for name in ("initdb", "postgres"):
        _program(programs / name, "echo no room. >&2\nexit 1" if name == failing else 'mkdir "$2"')
    creation = DataFolderCreation(programs, 18, ServerAccount("this user"))
    (home / "18.new-left-by-a-crash").mkdir()
    sentence = rf"/{failing}' cannot create the data folder as this user: no room\. Check that"
    with pytest.raises(EmbeddedPostgresError, match=sentence):
        creation.run(home / "18", "hunter2")
    assert [path.name for path in home.iterdir()] == ["bin"]


def _data_of(folder: Path, version: int) -> None:
    folder.mkdir()
    (folder / "PG_VERSION").write_text(f"{version}\n")


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
