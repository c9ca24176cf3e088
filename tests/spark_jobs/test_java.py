"""Finding the machine's Java, and saying so where there is none."""

import os
from pathlib import Path

import pytest

from spark_jobs.errors import JavaMissingError
from spark_jobs.java import find_java, major_version
from tests.spark_jobs.fake_java import fake_java


@pytest.mark.parametrize(
    ("announcement", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_292"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ("command not found", None),
    ],
)
def test_the_major_version_is_read_from_what_java_prints(announcement: str, major: int | None) -> None:
    assert major_version(announcement) == major


def test_the_java_of_this_machine_is_found() -> None:
    assert find_java(os.environ).name == "java"


def test_java_home_goes_before_the_path(tmp_path: Path) -> None:
    on_path = fake_java(tmp_path / "path", "echo 'openjdk version \"21.0.1\"' >&2")
    at_home = fake_java(tmp_path / "home" / "bin", "echo 'openjdk version \"21.0.1\"' >&2")
    assert find_java({"PATH": str(on_path.parent)}) == on_path
    assert find_java({"PATH": str(on_path.parent), "JAVA_HOME": str(tmp_path / "home")}) == at_home


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("echo 'openjdk version \"11.0.2\"' >&2", "is version 11, too old for Spark"),
        ("echo nonsense", "does not say its version"),
        ("exit 3", "does not say its version"),
    ],
)
def test_a_java_that_spark_cannot_use_is_refused(tmp_path: Path, script: str, sentence: str) -> None:
    program = fake_java(tmp_path, script)
    with pytest.raises(JavaMissingError, match=sentence):
        find_java({"PATH": str(program.parent)})


def test_no_java_at_all_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(JavaMissingError, match="there is none on this machine: install a JDK of version 17"):
        find_java({"PATH": str(tmp_path)})
    with pytest.raises(JavaMissingError, match="does not run"):
        find_java({"JAVA_HOME": str(tmp_path / "none")})
