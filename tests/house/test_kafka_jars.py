"""The jars of the tests' broker: fetched once, whole or not at all, and never others than those checked in."""

import os
import re
from pathlib import Path

import pytest

from spark_jobs.errors import JavaMissingError
from tests.fixtures.kafka_jars import (
    DIGESTS,
    IVY_FILE,
    JarsUnavailable,
    broker_jars,
    broker_version,
    expected_jars,
)
from tests.spark_jobs.fake_java import fake_java

RETRIEVE = """
case "$*" in *-version*) echo 'openjdk version "17.0.1"' >&2; exit 0;; esac
for a in "$@"; do case "$a" in */jars/*) folder=$(dirname "$a");; esac; done
mkdir -p "$folder"
"""


def java_that(folder: Path, script: str) -> dict[str, str]:
    """An environment whose java, asked to fetch, runs `script` with $folder, where the jars are to be."""
    fake_java(folder, RETRIEVE + script)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.fixture
def small_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One jar to be had, with five bytes in it."""
    digests = tmp_path / "digests"
    digests.write_text("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  one.jar\n")
    monkeypatch.setattr("tests.fixtures.kafka_jars.DIGESTS", digests)


def test_what_ivy_names_is_in_the_list() -> None:
    named = re.findall(r'name="([^"]*)" rev="([^"]*)"', IVY_FILE.read_text())
    assert {f"{name}-{revision}.jar" for name, revision in named} <= {jar.name for jar in expected_jars()}
    assert (
        re.findall(r"^[0-9a-f]{64}  \S+\.jar$", DIGESTS.read_text(), re.MULTILINE) == DIGESTS.read_text().splitlines()
    )
    assert f"kafka_2.13-{broker_version()}.jar" in {jar.name for jar in expected_jars()}


def test_the_jars_are_fetched_once(tmp_path: Path, small_list: None) -> None:
    environ = java_that(tmp_path / "bin", f'echo x >> {tmp_path}/calls; echo hello > "$folder/one.jar"')
    folders = [broker_jars(tmp_path, environ), broker_jars(tmp_path, {"PATH": ""})]
    assert folders == [tmp_path / "jars"] * 2
    assert (tmp_path / "calls").read_text() == "x\n"


def test_a_damaged_jar_is_fetched_again(tmp_path: Path, small_list: None) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "one.jar").write_text("damaged")
    folder = broker_jars(tmp_path, java_that(tmp_path / "bin", 'echo hello > "$folder/one.jar"'))
    assert (folder / "one.jar").read_text() == "hello\n"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ('echo other > "$folder/one.jar"', r"one\.jar came otherwise than checked in: do not use them"),
        ("exit 0", r"one\.jar came otherwise"),
        (
            "exit 1",
            "could not be fetched: try again with a network, or name a running broker in COORDSTREAM_TEST_KAFKA",
        ),
    ],
)
def test_a_fetch_that_fails_is_told_and_leaves_nothing(
    tmp_path: Path, small_list: None, script: str, sentence: str
) -> None:
    cache = tmp_path / "cache"
    (cache / ".fetch-killed").mkdir(parents=True)
    with pytest.raises(JarsUnavailable, match=sentence):
        broker_jars(cache, java_that(tmp_path / "bin", script))
    assert [path.name for path in cache.iterdir()] == [".lock"]


def test_no_java_is_told(tmp_path: Path, small_list: None) -> None:
    with pytest.raises(JavaMissingError):
        broker_jars(tmp_path, {"PATH": str(tmp_path)})
