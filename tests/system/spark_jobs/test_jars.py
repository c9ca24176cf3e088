"""What a session runs on: the JDBC driver and Java."""

from pathlib import Path

import pytest

from spark_jobs.errors import SparkJobError
from spark_jobs.session import JDBC_DRIVER, driver_conf, find_java
from tests.fixtures.jar_list import POSTGRES_JARS
from tests.system.spark_jobs.fake_java import fake_java


def test_the_driver_is_fetched_by_spark_or_is_that_of_the_environment(tmp_path: Path) -> None:
    _, name, revision = JDBC_DRIVER.split(":")
    assert [jar for jar, _ in POSTGRES_JARS.expected()] == [f"{name}-{revision}.jar"]
    assert driver_conf({}) == {"spark.jars.packages": JDBC_DRIVER}
    assert driver_conf({"PYSPARK_GATEWAY_PORT": "1"}) == {}
    jar = tmp_path / "mine.jar"
    with pytest.raises(SparkJobError, match="does not exist"):
        driver_conf({"COORDSTREAM_JDBC_JAR": str(jar)})
    jar.touch()
    assert driver_conf({"COORDSTREAM_JDBC_JAR": str(jar)}) == {"spark.jars": str(jar)}


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
