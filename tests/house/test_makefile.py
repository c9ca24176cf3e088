"""The targets of the Makefile."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

CHECKOUT: Final = Path(__file__).parents[2]
HELPERS: Final = {"chromium", "java"}
"""Targets that others need, without a line in the help."""
PROMISED: Final = {"setup", "shell", "demo", "test", "test-fast", "lint", "bench", "clean"}


def test_help_lists_every_target_with_its_purpose() -> None:
    targets = re.findall(r"^\.PHONY: ([a-z-]+)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    listed = re.findall(r"^  ([a-z-]+) +(\S.*)$", _make("help").stdout, re.MULTILINE)
    assert {name for name, _ in listed} >= PROMISED
    assert [name for name, _ in listed] == [name for name in targets if name not in HELPERS]


def test_a_shell_finds_the_commands_of_the_virtual_environment(tmp_path: Path) -> None:
    checkout = _small_checkout(tmp_path)
    command = checkout / ".venv" / "bin" / "coordstream"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\necho found\n")
    command.chmod(0o755)
    (checkout / ".venv" / ".installed").touch()
    started = subprocess.run(
        ["make", "--no-print-directory", "shell"],
        cwd=checkout,
        env=_environment() | {"SHELL": "/bin/sh"},
        input="coordstream",
        capture_output=True,
        text=True,
        check=True,
    )
    assert started.stdout.splitlines()[-1] == "found"


def test_setup_does_nothing_once_it_is_done(tmp_path: Path) -> None:
    checkout = _small_checkout(tmp_path)
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / ".installed").touch()
    assert "Nothing to be done" in _make("setup", checkout).stdout


def test_setup_runs_again_when_the_lock_changed(tmp_path: Path) -> None:
    checkout = _small_checkout(tmp_path)
    (checkout / ".venv").mkdir()
    stamp = checkout / ".venv" / ".installed"
    stamp.touch()
    os.utime(stamp, (1, 1))
    planned = _make("setup", checkout, "--dry-run").stdout
    assert "--require-hashes -r requirements.lock" in planned


def test_setup_fails_without_a_suitable_python(tmp_path: Path) -> None:
    refused = _make("setup", _small_checkout(tmp_path), "PYTHON=")
    assert refused.returncode != 0
    assert refused.stderr.startswith("coordstream needs Python 3.11 or newer with its venv module. Install it, or")


@pytest.mark.parametrize(("version", "found"), [('openjdk version "11.0.2"', "11"), ("", "none")])
def test_java_is_required_in_version_17(tmp_path: Path, version: str, found: str) -> None:
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho '{version}' >&2\n")
    java.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    refused = _make("java", CHECKOUT, f"PATH={path}")
    assert refused.returncode != 0
    assert refused.stderr.startswith(f"Spark needs Java 17 or newer on the PATH (found: {found}). Install a JDK")


def _small_checkout(folder: Path) -> Path:
    for name in ("Makefile", "hatch_build.py", "pyproject.toml", "requirements.lock"):
        shutil.copy(CHECKOUT / name, folder / name)
    return folder


def _make(target: str, checkout: Path = CHECKOUT, *options: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", target, *options]
    return subprocess.run(command, cwd=checkout, env=_environment(), capture_output=True, text=True, check=False)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
