"""Finding Java, and the errors if it is missing or too old."""

import os
from pathlib import Path

import pytest

from spark_jobs.errors import JavaMissingError
from spark_jobs.java import find_java, major_version
from tests.spark_jobs.fake_java import fake_java


@pytest.mark.parametrize(
    ("output", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_292"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ("command not found", None),
    ],
)
def test_the_major_version_is_parsed(output: str, major: int | None) -> None:
    assert major_version(output) == major


@pytest.mark.spark
def test_the_java_of_this_machine_is_found() -> None:
    assert find_java(os.environ).name == "java"


def test_java_home_takes_precedence_over_the_path(tmp_path: Path) -> None:
    on_path = fake_java(tmp_path / "path", "echo 'openjdk version \"21.0.1\"' >&2")
    at_home = fake_java(tmp_path / "home" / "bin", "echo 'openjdk version \"21.0.1\"' >&2")
    assert find_java({"PATH": str(on_path.parent)}) == on_path
    assert find_java({"PATH": str(on_path.parent), "JAVA_HOME": str(tmp_path / "home")}) == at_home


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("echo 'openjdk version \"11.0.2\"' >&2", "has version 11, which is too old for Spark"),
        ("echo nonsense", "prints no version"),
        ("exit 3", "prints no version"),
    ],
)
def test_an_unsuitable_java_is_rejected(tmp_path: Path, script: str, sentence: str) -> None:
    program = fake_java(tmp_path, script)
    with pytest.raises(JavaMissingError, match=sentence):
        find_java({"PATH": str(program.parent)})


def test_a_missing_java_is_reported(tmp_path: Path) -> None:
    with pytest.raises(JavaMissingError, match=r"which is not installed\. Install Java 17 or newer"):
        find_java({"PATH": str(tmp_path)})
    with pytest.raises(JavaMissingError, match="Cannot run Java"):
        find_java({"JAVA_HOME": str(tmp_path / "none")})
