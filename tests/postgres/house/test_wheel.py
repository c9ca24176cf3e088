"""The wheel: what it contains, and that it works with the base dependencies alone."""

import os
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement

from tests.checkout import CHECKOUT
from tests.fixtures.compiled_parts import can_compile

PACKAGES: Final = {"coordstream", "eventlog", "managers", "projections", "spark_jobs"}
USE_THE_LIBRARY: Final = """
import coordstream, coordstream.relations
for name in dir(coordstream):
    getattr(coordstream, name)
stream = coordstream.identify("__samza_coordinator_orders_1")
with coordstream.CheckpointManager(coordstream.MemoryEventLog(stream)) as manager:
    manager.register("T")
    manager.write_checkpoint("T", coordstream.CheckpointV1({coordstream.SystemStreamPartition("k", "in", 0): "7"}))
    assert manager.read_last_checkpoint("T") is not None
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this checkout, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    built = _build(folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def base_install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs' folder of a virtual environment with the wheel and its dependencies, but no extra."""
    folder = tmp_path_factory.mktemp("base")
    venv.create(folder, with_pip=False, symlinks=True)
    into = ("--python", str(folder / "bin" / "python"))
    _run(Path(sys.executable), "-m", "pip", *into, "install", "--no-deps", "--no-index", wheel)
    (packages,) = folder.glob("lib/python*/site-packages")
    (installed,) = packages.glob("coordstream-*.dist-info")
    for name in _with_dependencies(metadata.PathDistribution(installed).requires or [], frozenset()):
        distribution = metadata.distribution(name)
        for top_level in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            if not (packages / top_level).exists():
                (packages / top_level).symlink_to(Path(str(distribution.locate_file(top_level))))
    return folder / "bin"


def test_the_wheel_contains_the_packages_their_data_and_the_migrations(wheel: Path) -> None:
    files = set(zipfile.ZipFile(wheel).namelist())
    top_level = {name.partition("/")[0] for name in files}
    assert {name for name in top_level if not name.endswith(".dist-info")} == PACKAGES
    assert {f"{package}/py.typed" for package in PACKAGES} <= files
    assert set().union(*map(_files_of, PACKAGES)) <= files
    assert {f"coordstream/{name}" for name in _files_of("migrations")} <= files
    assert {"licenses/LICENSE", "entry_points.txt"} <= {name.partition(".dist-info/")[2] for name in files}


def test_the_wheel_is_compiled_where_a_compiler_is(wheel: Path, base_install: Path) -> None:
    files = zipfile.ZipFile(wheel).namelist()
    assert [name for name in files if name.endswith((".c", ".h"))] == []
    assert ("-cp311-abi3-" if can_compile() else "-py3-none-any.") in wheel.name
    expected = "compiled" if can_compile() else "without compiled parts, so imports are slower"
    assert _run(base_install / "coordstream", "--version").endswith(f", {expected}\n")


@pytest.mark.parametrize(
    ("wanted", "code", "said"),
    [
        pytest.param({}, 0, "Without compiled parts, so imports are slower (CompileError).", id="no compiler"),
        pytest.param({"COORDSTREAM_COMPILE": "0"}, 0, "", id="not wanted"),
        pytest.param({"COORDSTREAM_COMPILE": "1"}, 1, "No such file or directory: 'no-cc'", id="required"),
        pytest.param({"COORDSTREAM_COMPILE": "yes"}, 1, "COORDSTREAM_COMPILE is 'yes': expected 0", id="unknown"),
    ],
)
def test_a_wheel_without_compiled_parts_is_for_every_platform(
    tmp_path: Path, wanted: dict[str, str], code: int, said: str
) -> None:
    built = _build(tmp_path, CC="no-cc", **wanted)
    assert built.returncode == code, built.stdout
    assert said in built.stdout + built.stderr
    assert [path.name.partition("-py3")[2] for path in tmp_path.iterdir()] == ["-none-any.whl"] * (1 - code)


@pytest.mark.parametrize("name", ["managers.py", "projections/__init__.py"])
def test_a_file_that_hides_a_package_is_named(base_install: Path, tmp_path: Path, name: str) -> None:
    hiding = tmp_path / name
    hiding.parent.mkdir(exist_ok=True)
    hiding.touch()
    ended = _start(base_install / "python", "-c", "import coordstream", cwd=tmp_path)
    package = name.partition("/")[0].removesuffix(".py")
    message = f"ImportError: coordstream cannot use its package {package}: Python finds {hiding}. Rename that, or"
    assert message in ended.stderr


def test_the_library_works_without_extras(base_install: Path) -> None:
    assert _run(base_install / "python", "-c", USE_THE_LIBRARY) == ""


def test_the_command_line_works_without_extras(base_install: Path, empty_database_url: str) -> None:
    command = base_install / "coordstream"
    recording = CHECKOUT / "coordstream" / "data" / "coordinator.jsonl.gz"
    _run(command, "db", "migrate", database_url=empty_database_url)
    _run(command, "import", recording, database_url=empty_database_url)
    assert "job.name" in _run(command, "config", "show", "wordcount_pv", database_url=empty_database_url)


@pytest.mark.parametrize(
    ("words", "extra"), [(["status"], "embedded"), (["spark", "checkpoint_progress", "--output", "o"], "spark")]
)
def test_a_command_names_the_extra_that_it_lacks(base_install: Path, words: list[str], extra: str) -> None:
    ended = _start(base_install / "coordstream", *words)
    assert ended.returncode == 1
    assert f"coordstream[{extra}]" in ended.stderr


def _with_dependencies(requirements: list[str], extras: frozenset[str]) -> set[str]:
    """The installed distributions that the requirements need, with what these need."""
    found: set[str] = set()
    for one in map(Requirement, requirements):
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (extras or {""})):
            found |= {one.name} | _with_dependencies(metadata.requires(one.name) or [], frozenset(one.extras))
    return found


def _files_of(folder: str) -> set[str]:
    shipped = {".py", ".sql", ".xml", ".html", ".css", ".svg", ".mako"}
    files = (path for path in (CHECKOUT / folder).rglob("*") if path.suffix in shipped)
    return {str(path.relative_to(CHECKOUT)) for path in files}


def _build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "wheel", "--verbose", "--no-deps", "--no-build-isolation", "--no-index"]
    command += ["--wheel-dir", str(folder), str(CHECKOUT)]
    kept = {name: value for name, value in os.environ.items() if name != "COORDSTREAM_COMPILE"}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=kept | environment)


def _run(program: Path, *arguments: str | Path, database_url: str = "") -> str:
    """The standard output of a program, which must succeed."""
    ended = _start(program, *arguments, database_url=database_url)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def _start(
    program: Path, *arguments: str | Path, database_url: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program outside the checkout, with only these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COORDSTREAM_", "PYTHON"))}
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_HOME": str(program.parent / "home")}
    return subprocess.run(
        [program, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd or program.parent,
        env=kept | settings,
    )
