"""`coordstream.spark`: reads the database of the settings, imports without a JVM, and names its extra."""

import subprocess
import sys
from functools import partial

import pytest
from psycopg.conninfo import conninfo_to_dict
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from coordstream.spark import read_relation, register, register_catalog
from eventlog.postgres.connection import connect
from spark_jobs.errors import SparkJobError
from tests.builders import config_set
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.spark_jobs.fleet import COMMITS


def test_the_database_is_that_of_the_settings(
    spark: SparkSession, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(database_url) as connection:
        ImportedJob(connection, "orders", coordinator=[config_set("app.note", "hello")])
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", database_url)
    rows = read_relation(spark, "config", job="orders/1", columns=["config_key", "config_value"])
    assert [tuple(row) for row in rows.collect()] == [("app.note", "hello")]


def test_sql_reads_the_relations_and_postgres_aggregates_them(
    spark: SparkSession, connect_session: SparkSession, fleet_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", fleet_url)
    for session in (spark.newSession(), connect_session):
        register_catalog(session)
        largest = session.sql(
            "select max(input_offset_number) from coordinator.checkpoint where job_name like 'job-1%'"
        )
        assert [tuple(row) for row in largest.collect()] == [(COMMITS - 1,)]
        plan = session.sql("explain select max(log_offset) from coordinator.checkpoint_history group by job_id")
        assert "PushedAggregates: [MAX(log_offset)]" in str(plan.collect()), plan
        with pytest.raises(PySparkException, match=r"FAILED_JDBC\.CREATE_TABLE"):
            session.sql("create table coordinator.mine (a int)")
        shown = session.sql("set").where("key like 'spark.sql.catalog.coordinator%'").collect()
        assert str(conninfo_to_dict(fleet_url)["password"]) not in str(shown)


def test_a_wrong_address_is_one_sentence(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/none")
    for call in (partial(read_relation, relation="config"), register, register_catalog):
        with pytest.raises(SparkJobError, match="Cannot reach the database") as refusal:
            call(spark)
        assert "hunter2" not in str(refusal.value)


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_importing_it_starts_no_jvm_and_loads_no_command_line() -> None:
    program = (
        "import sys, coordstream.spark; from pyspark import SparkContext as S;"
        "print(S._gateway, S._active_spark_context, sorted({'typer', 'rich', 'coordstream.cli'} & sys.modules.keys()))"
    )
    assert run(program) == "None None []\n"


def test_without_pyspark_the_extra_is_named() -> None:
    blocked = "import sys; sys.modules['pyspark'] = None\n"
    printed = run(f"{blocked}try: import coordstream.spark\nexcept ImportError as error: print(error)")
    assert printed == (
        "Reading with Spark needs the package \"pyspark\". Install it: pip install 'coordstream[spark]'.\n"
    )
