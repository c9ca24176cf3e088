"""Sessions use UTC, keep the submitter's settings, and show no secret in plans."""

import os
import socket
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from pyspark.sql import SparkSession

from spark_jobs import session as builder
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.relations.jdbc import Relation, jdbc_properties, read_rows
from spark_jobs.relations.snapshots import exported_snapshot
from spark_jobs.session import _require_server, build_session, check_master, is_local


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
    secret = jdbc_properties(database_url)["password"]
    assert secret
    relation = Relation("commit_history", ("task_name",))
    with exported_snapshot(database_url) as snapshot:
        rows = read_rows(spark, database_url, relation, snapshot, {})
        rows.explain("extended")
        rows.explain("formatted")
    shown = capsys.readouterr().out
    assert "commit_history" in shown
    assert secret not in shown
    assert secret not in str(spark.sparkContext.getConf().getAll())


@pytest.mark.spark
def test_an_error_of_spark_is_reported_by_its_innermost_cause(spark: SparkSession) -> None:
    with (
        pytest.raises(SparkJobError, match=r"^Counting failed: .*nowhere") as refusal,
        spark_errors("Counting failed"),
    ):
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
        (
            {"spark.master": "spark://127.0.0.1:1,[::1]:1"},
            "Cannot connect to Spark at spark://127.0.0.1:1,[::1]:1 (",
        ),
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


def test_executors_run_the_python_of_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.sql.SparkSession.builder", MagicMock())
    monkeypatch.setenv("PYSPARK_PYTHON", "another")
    build_session("python", {"spark.pyspark.python": "/opt/python"})
    assert os.environ["PYSPARK_PYTHON"] == "/opt/python"


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
