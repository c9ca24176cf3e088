"""Sessions: what they run on, their settings, and errors of Spark, its JVM and its Python processes as one sentence."""

import logging
import os
import socket
from pathlib import Path
from typing import Final
from unittest.mock import MagicMock

import psycopg
import pytest
from pyspark.errors import PySparkRuntimeError, PythonException
from pyspark.sql import SparkSession

from spark_jobs import session as builder
from spark_jobs.dispatch import run_log_tasks
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.relations.reader import RelationReader
from spark_jobs.session import (
    JDBC_DRIVER,
    _require_server,
    build_session,
    check_master,
    driver_conf,
    find_java,
    is_local,
)
from tests.fixtures.jar_list import POSTGRES_JARS
from tests.postgres.spark_jobs.test_log_task import failing, settings


@pytest.mark.spark
def test_spark_submit_keeps_the_submitters_settings(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    try:
        same = build_session("submitted", {}, {builder.SUBMITTED: "1", "PATH": ""})
        assert same.conf.get("spark.sql.adaptive.enabled") == "true"
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", str(before))
    assert not any(key.startswith(("spark.master", "spark.executor")) for key in builder.LOCAL)


def test_what_keeps_spark_from_starting_is_said_before_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars = tmp_path / "jars"
    jars.mkdir()
    with pytest.raises(SparkJobError, match="SPARK_HOME is a folder without Spark, but PySpark is "):
        build_session("other", {}, {**os.environ, "SPARK_HOME": str(tmp_path)})
    (jars / "spark-core_2.13-3.5.1.jar").touch()
    with pytest.raises(SparkJobError, match=r"SPARK_HOME is Spark 3\.5\.1, but PySpark is .*\. Unset it"):
        build_session("other", {}, {**os.environ, "SPARK_HOME": str(tmp_path)})
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    with pytest.raises(SparkJobError, match="Spark needs the name of its user, and the uid 54321 has none"):
        build_session("nameless", {})


@pytest.mark.spark
def test_no_plan_shows_the_password(spark: SparkSession, database_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    reader = RelationReader(lambda: database_url)
    with reader.snapshot(spark) as moment:
        secret = moment.connection.info.password
        rows = reader.read_relation(spark, "commit_history", columns=["task_name"])
        rows.explain("extended")
        rows.explain("formatted")
    shown = capsys.readouterr().out
    assert "commit_history" in shown
    assert secret
    assert secret not in shown
    assert secret not in str(spark.sparkContext.getConf().getAll())


@pytest.mark.spark
def test_an_error_of_spark_is_reported_by_its_innermost_cause(spark: SparkSession) -> None:
    with pytest.raises(SparkJobError, match=r"^Counting failed: .*nowhere") as refusal, spark_errors("Counting failed"):
        spark.table("nowhere").count()
    assert "\n" not in str(refusal.value)


@pytest.mark.spark
def test_a_missing_class_is_named_as_one(spark: SparkSession) -> None:
    with (
        pytest.raises(SparkJobError, match=r"^Loading failed: class not found: no\.such\.Class$"),
        spark_errors("Loading failed"),
    ):
        spark._jvm.java.lang.Class.forName("no.such.Class")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("conf", "message"),
    [
        ({"spark.master": "nonsense"}, "Invalid spark.master 'nonsense'. Expected local, local[N], "),
        ({"spark.master": "localhost:7077"}, "Invalid spark.master 'localhost:7077'. Expected local, "),
        ({"spark.master": "local[x]"}, "Invalid spark.master 'local[x]'. Expected local, "),
        ({"spark.master": "sc://:1/;token=secret"}, "Invalid spark.master 'sc://:1/'. Expected local, "),
        ({"SPARK_REMOTE": "sc://127.0.0.1:1"}, "Cannot connect to Spark at sc://127.0.0.1:1 (Connection refused)."),
        ({"spark.remote": "sc://127.0.0.1:1"}, "Cannot connect to Spark at sc://127.0.0.1:1 (Connection refused)."),
        ({"spark.master": "spark://127.0.0.1:1,[::1]:1"}, "Cannot connect to Spark at spark://127.0.0.1:1,[::1]:1 ("),
    ],
)
def test_an_invalid_setting_is_reported_before_the_start(
    conf: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may also be that of the environment. PySpark would try to reach it for ten minutes."""
    monkeypatch.setattr("spark_jobs.session.getproxies", dict)
    monkeypatch.setattr("pyspark.sql.SparkSession.builder", None)
    remote = conf.pop("SPARK_REMOTE", None)
    with pytest.raises(SparkJobError) as refused:
        build_session("invalid", conf, os.environ if remote is None else {"SPARK_REMOTE": remote})
    assert str(refused.value).startswith(message)


def test_executors_run_the_python_of_the_setting_and_py4j_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    logging.getLogger("py4j.clientserver").setLevel(logging.NOTSET)
    monkeypatch.setattr("pyspark.sql.SparkSession.builder", MagicMock())
    monkeypatch.setattr("spark_jobs.session._start_jvm", MagicMock())
    monkeypatch.setenv("PYSPARK_PYTHON", "another")
    build_session("python", {"spark.pyspark.python": "/opt/python"})
    assert os.environ["PYSPARK_PYTHON"] == "/opt/python"
    for name, level in (("py4j.clientserver", logging.INFO), ("SQLQueryContextLogger", logging.ERROR)):
        assert not logging.getLogger(name).isEnabledFor(level)


def test_one_of_several_masters_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as standby:
        port = standby.getsockname()[1]
        _require_server({"spark.master": f"spark://127.0.0.1:1,127.0.0.1:{port}"})


@pytest.mark.parametrize(
    ("is_here", "masters"),
    [
        (True, ["local", "local[2]", "local[*]", "local[2,3]", "local[*, 3]"]),
        (False, ["spark://localhost:7077", "spark://a:1,b:1", "yarn", "k8s://https://host:443"]),
        (False, ["local-cluster[2,1,1024]", "sc://host", "sc://[::1]:15002/;token=x"]),
    ],
)
def test_masters_are_this_machine_or_another(is_here: bool, masters: list[str]) -> None:
    for master in masters:
        check_master(master)
        assert is_local(master) is is_here


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


def fake_java(folder: Path, script: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "java"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


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
    with pytest.raises(SparkJobError, match=r"^Spark needs Java, and JAVA_HOME is '.*/none', which has none\. Install"):
        find_java({"JAVA_HOME": str(tmp_path / "none")})
    program = fake_java(tmp_path, "")
    program.write_bytes(b"\x7fELF of another machine")
    with pytest.raises(SparkJobError, match=rf"^Cannot run Java at '{program}'\. Install Java 17 or newer"):
        find_java({"PATH": str(tmp_path)})


QUOTED = """[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call last):
  File "/x/work.py", line 151, in do
    raise ValueError("hunter2")
{raised}
 SQLSTATE: 38000"""


def message_of(error: Exception) -> str:
    with pytest.raises(SparkJobError) as raised, spark_errors("Cannot replay"):
        raise error
    return str(raised.value)


INTERRUPTED: Final = "spark_jobs.log_task.LogTaskInterrupted: The database is unavailable (gone)."
NAME_ONLY: Final = "ValueError in a Python process of Spark. The log of the executor has its traceback"
CURE: Final = (
    "the Python of Spark's executors has no module 'spark_jobs'. Install coordstream[spark] there, "
    "or name another Python in spark.pyspark.python"
)


@pytest.mark.parametrize(
    ("raised", "shown"),
    [
        (INTERRUPTED, "The database is unavailable (gone)."),  # an error of ours
        *((other, NAME_ONLY) for other in ("ValueError: hunter2", "a.b.ValueError: hunter2\nhunter2: x", "ValueError")),
        ("ModuleNotFoundError: No module named 'spark_jobs'", CURE),
    ],
)
def test_of_errors_in_an_executor_only_ours_and_a_missing_package_are_shown(raised: str, shown: str) -> None:
    assert message_of(PythonException(QUOTED.format(raised=raised))) == f"Cannot replay: {shown}"


def test_a_killed_jvm_is_reported() -> None:
    assert "its Java process has ended" in message_of(ConnectionRefusedError(111, "Connection refused"))


def test_a_jvm_that_does_not_start_is_reported() -> None:
    error = PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
    assert message_of(error).startswith("Cannot replay: its Java process ended at the start, with the message above.")


@pytest.mark.spark
def test_an_outage_in_an_executor_is_reported(spark: SparkSession) -> None:
    log_task = failing(*[psycopg.OperationalError("gone")] * 100)
    with pytest.raises(SparkJobError) as raised:
        run_log_tasks(spark, "Cannot replay with Spark", [log_task], settings(), 1)
    assert str(raised.value) == "Cannot replay with Spark: The database is unavailable (gone)."
