"""The jars of the tests' broker and of Samza: fetched once, completely or not at all, with expected checksums."""

import os
import re
from pathlib import Path

import pytest

from spark_jobs.errors import JavaMissingError
from tests.fixtures.jar_list import JarList, JarsUnavailable
from tests.fixtures.kafka_jars import BROKER_JARS, broker_version
from tests.fixtures.samza_jars import SAMZA_JARS
from tests.spark_jobs.session.fake_java import fake_java

RETRIEVE = """
case "$*" in *-version*) echo 'openjdk version "17.0.1"' >&2; exit 0;; esac
for a in "$@"; do case "$a" in */jars/*) folder=$(dirname "$a");; esac; done
mkdir -p "$folder"
"""


def java_that(folder: Path, script: str) -> dict[str, str]:
    """An environment with a fake java that runs `script`; $folder is where Ivy would put the jars."""
    fake_java(folder, RETRIEVE + script)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.fixture
def small_list(tmp_path: Path) -> JarList:
    """A list with one jar of six bytes."""
    digests = tmp_path / "digests"
    digests.write_text("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  one.jar\n")
    return JarList("the small", tmp_path / "ivy.xml", digests, "bake your own")


@pytest.mark.parametrize("jars", [BROKER_JARS, SAMZA_JARS], ids=lambda jars: jars.ivy_file.stem)
def test_the_jars_of_ivy_are_in_the_list(jars: JarList) -> None:
    named = re.findall(r'name="([^"]*)" rev="([^"]*)"', jars.ivy_file.read_text())
    assert named
    assert {f"{name}-{revision}.jar" for name, revision in named} <= {jar.name for jar in jars.expected()}
    lines = jars.digests.read_text()
    assert re.findall(r"^[0-9a-f]{64}  \S+\.jar$", lines, re.MULTILINE) == lines.splitlines()


def test_the_broker_has_the_version_of_its_jars() -> None:
    assert f"kafka_2.13-{broker_version()}.jar" in {jar.name for jar in BROKER_JARS.expected()}


def test_samza_has_one_logging_binding() -> None:
    names = [jar.name for jar in SAMZA_JARS.expected() if jar.name.startswith("slf4j")]
    assert names == ["slf4j-api-1.7.36.jar", "slf4j-simple-1.7.36.jar"]


def test_the_jars_are_fetched_once(tmp_path: Path, small_list: JarList) -> None:
    environ = java_that(tmp_path / "bin", f'echo x >> {tmp_path}/calls; echo hello > "$folder/one.jar"')
    folders = [small_list.folder(tmp_path, environ), small_list.folder(tmp_path, {"PATH": ""})]
    assert folders == [tmp_path / "jars"] * 2
    assert (tmp_path / "calls").read_text() == "x\n"


def test_a_damaged_jar_is_fetched_again(tmp_path: Path, small_list: JarList) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "one.jar").write_text("damaged")
    folder = small_list.folder(tmp_path, java_that(tmp_path / "bin", 'echo hello > "$folder/one.jar"'))
    assert (folder / "one.jar").read_text() == "hello\n"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ('echo other > "$folder/one.jar"', r"one\.jar came otherwise than checked in: do not use them"),
        ("exit 0", r"one\.jar came otherwise"),
        ("exit 1", "the small jars could not be fetched: bake your own"),
    ],
)
def test_a_failed_fetch_is_reported_and_leaves_no_file(
    tmp_path: Path, small_list: JarList, script: str, sentence: str
) -> None:
    cache = tmp_path / "cache"
    (cache / ".fetch-killed").mkdir(parents=True)
    with pytest.raises(JarsUnavailable, match=sentence):
        small_list.folder(cache, java_that(tmp_path / "bin", script))
    assert [path.name for path in cache.iterdir()] == [".lock"]


def test_a_missing_java_is_reported(tmp_path: Path, small_list: JarList) -> None:
    with pytest.raises(JavaMissingError):
        small_list.folder(tmp_path, {"PATH": str(tmp_path)})
