"""What a wheel brings to a machine: the five rooms, the migrations inside coordstream, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import pytest

CHECKOUT: Final = Path(__file__).parents[2]
ROOMS: Final = {"coordstream", "eventlog", "managers", "projections", "spark_jobs"}


@pytest.fixture(scope="module")
def wheel_files(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The paths in a wheel built from this checkout, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    built = subprocess.run([sys.executable, *build, str(CHECKOUT)], check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_top_level_is_the_rooms(wheel_files: set[str]) -> None:
    top_level = {name.partition("/")[0] for name in wheel_files}
    assert {name for name in top_level if not name.endswith(".dist-info")} == ROOMS


def test_every_room_is_typed(wheel_files: set[str]) -> None:
    assert {f"{room}/py.typed" for room in ROOMS} <= wheel_files


def test_the_migrations_are_inside_coordstream(wheel_files: set[str]) -> None:
    inside = {name.removeprefix("coordstream/") for name in wheel_files if name.startswith("coordstream/migrations/")}
    assert inside == _files_of("migrations", "*.py", "*.mako")
    assert "migrations/env.py" in inside


def test_data_files_of_the_rooms_are_shipped(wheel_files: set[str]) -> None:
    kept = set().union(*(_files_of(room, "*.py", "*.sql", "*.xml") for room in ROOMS))
    assert kept <= wheel_files
    assert any(name.endswith(".sql") for name in kept)
    assert any(name.endswith(".xml") for name in kept)


def test_the_licence_and_the_command_are_shipped(wheel_files: set[str]) -> None:
    in_metadata = {name.partition(".dist-info/")[2] for name in wheel_files if ".dist-info/" in name}
    assert {"licenses/LICENSE", "entry_points.txt"} <= in_metadata


def _files_of(folder: str, *patterns: str) -> set[str]:
    return {
        str(path.relative_to(CHECKOUT))
        for pattern in patterns
        for path in (CHECKOUT / folder).rglob(pattern)
        if "__pycache__" not in path.parts
    }
