"""The JDBC driver's jar: fetched once, complete or not at all, with the expected checksum; and finding Java."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import spark_jobs
from spark_jobs.errors import SparkJobError
from spark_jobs.session import IVY_FILE, POSTGRES_DRIVER, find_java, postgres_driver
from tests.system.spark_jobs.fake_java import fake_java

VERSION = """case "$*" in *-version*) echo 'openjdk version "17.0.1"' >&2; exit 0;; esac"""
SCRATCH = 'for a in "$@"; do case "$a" in */ivy) scratch=$(dirname "$a");; esac; done'
NO_NETWORK = "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1 -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=1"


def java_that(folder: Path, script: str) -> dict[str, str]:
    """An environment with a fake java that runs `script`; $scratch is the folder that Ivy would fetch into."""
    fake_java(folder, f"{VERSION}\n{SCRATCH}\n{script}")
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_ivy_lists_only_the_jar_with_a_checksum() -> None:
    (dependency,) = re.findall(r"<dependency (.*)/>", IVY_FILE.read_text())
    named = dict(re.findall(r'(\w+)="([^"]*)"', dependency))
    assert f"{named['name']}-{named['rev']}.jar" == POSTGRES_DRIVER.name
    assert (named["org"], named["transitive"]) == ("org.postgresql", "false")


@pytest.mark.spark
def test_a_cached_jar_needs_neither_java_nor_network(jdbc_jar: Path, tmp_path: Path) -> None:
    (tmp_path / jdbc_jar.name).write_bytes(jdbc_jar.read_bytes())
    assert postgres_driver(tmp_path, {"PATH": ""}) == tmp_path / jdbc_jar.name


@pytest.mark.spark
def test_a_fetch_after_a_killed_one_succeeds(jdbc_jar: Path, tmp_path: Path) -> None:
    cache, reached = tmp_path / "cache", tmp_path / "reached"
    os.mkfifo(reached)
    blocked = java_that(
        tmp_path / "bin", f'head -c 99 {jdbc_jar} > "$scratch/{jdbc_jar.name}"; echo > {reached}; read x'
    )
    program = (
        "import os, sys, pathlib; from spark_jobs.session import postgres_driver;"
        "postgres_driver(pathlib.Path(sys.argv[1]), os.environ)"
    )
    root = str(Path(spark_jobs.__file__).parents[1])
    fetcher = subprocess.Popen(
        [sys.executable, "-c", program, str(cache)],
        env={**blocked, "PYTHONPATH": root},
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    reached.read_text()  # returns when the fake java has written half of the jar
    os.killpg(fetcher.pid, signal.SIGKILL)
    fetcher.communicate()
    assert not (cache / jdbc_jar.name).exists()
    postgres_driver(cache, java_that(tmp_path / "good", f'cp {jdbc_jar} "$scratch"'))
    assert POSTGRES_DRIVER.matches(cache / jdbc_jar.name)


@pytest.mark.spark
def test_a_damaged_jar_in_the_cache_is_fetched_again(jdbc_jar: Path, tmp_path: Path) -> None:
    (tmp_path / jdbc_jar.name).write_bytes(b"damaged")
    fetched = postgres_driver(tmp_path, java_that(tmp_path / "bin", f'cp {jdbc_jar} "$scratch"'))
    assert POSTGRES_DRIVER.matches(fetched)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (f'echo other > "$scratch/{POSTGRES_DRIVER.name}"', "has an unexpected SHA-256"),
        ("exit 1", "Cannot fetch postgresql-42.7.13.jar. Try again with a network"),
        ("exit 0", "Cannot fetch postgresql-42.7.13.jar. Try again with a network"),
    ],
)
def test_a_failed_fetch_has_a_message_and_leaves_no_file(tmp_path: Path, script: str, sentence: str) -> None:
    with pytest.raises(SparkJobError, match=sentence):
        postgres_driver(tmp_path / "cache", java_that(tmp_path / "bin", script))
    assert not list((tmp_path / "cache").iterdir())


@pytest.mark.spark
def test_a_missing_network_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SparkJobError, match="Try again with a network, or set COORDSTREAM_JDBC_JAR to a copy"):
        postgres_driver(tmp_path, {**os.environ, "JAVA_TOOL_OPTIONS": NO_NETWORK, "COORDSTREAM_JDBC_JAR": ""})


def test_a_jar_of_the_environment_is_used_unchecked(tmp_path: Path) -> None:
    jar = tmp_path / "mine.jar"
    with pytest.raises(SparkJobError, match="does not exist"):
        postgres_driver(tmp_path / "cache", {"COORDSTREAM_JDBC_JAR": str(jar)})
    jar.write_bytes(b"mine")
    assert postgres_driver(tmp_path / "cache", {"COORDSTREAM_JDBC_JAR": str(jar)}) == jar
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SparkJobError, match=r"Cannot write to the jar cache '.*file/cache'"):
        postgres_driver(tmp_path / "file" / "cache", java_that(tmp_path / "bin", ""))


def test_java_home_takes_precedence_over_the_path(tmp_path: Path) -> None:
    on_path = fake_java(tmp_path / "path", "echo 'openjdk version \"21.0.1\"' >&2")
    at_home = fake_java(tmp_path / "home" / "bin", "echo 'openjdk version \"21.0.1\"' >&2")
    assert find_java({"PATH": str(on_path.parent)}) == on_path
    assert find_java({"PATH": str(on_path.parent), "JAVA_HOME": str(tmp_path / "home")}) == at_home


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("echo 'openjdk version \"11.0.2\"' >&2", "has version 11, which is too old for Spark"),
        ("echo 'java version \"1.8.0_292\"' >&2", "has version 8, which is too old for Spark"),
        ("echo nonsense", "prints no version"),
        ("exit 3", "prints no version"),
    ],
)
def test_an_unsuitable_java_is_rejected(tmp_path: Path, script: str, sentence: str) -> None:
    program = fake_java(tmp_path, script)
    with pytest.raises(SparkJobError, match=sentence):
        find_java({"PATH": str(program.parent)})


def test_a_missing_java_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SparkJobError, match=r"which is not installed\. Install Java 17 or newer"):
        find_java({"PATH": str(tmp_path)})
    with pytest.raises(SparkJobError, match="Cannot run Java"):
        find_java({"JAVA_HOME": str(tmp_path / "none")})
