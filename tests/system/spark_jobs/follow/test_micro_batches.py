"""The streaming query of a follower on Spark, without events."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.source import SourceUnavailable
from spark_jobs.errors import SparkJobError
from spark_jobs.follow import micro_batches
from spark_jobs.follow.micro_batches import MicroBatches
from spark_jobs.log_task import LogTaskSettings
from tests.fixtures.data_source import FOLD
from tests.fixtures.waiting import wait_until

ACCESS = LogTaskSettings("postgresql://127.0.0.1:1/none", FOLD, KafkaOptions.parse("127.0.0.1:1"))


@pytest.fixture(autouse=True)
def no_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The follower's own connection to Kafka does nothing."""
    monkeypatch.setattr(KafkaSource, "__init__", lambda *_: None)
    monkeypatch.setattr(KafkaSource, "close", lambda _: None)
    monkeypatch.setattr(KafkaSource, "_topic_ids", {}, raising=False)


class KilledJvm:
    """A session, and its query, whose JVM was killed."""

    def __getattr__(self, _: str) -> Any:
        raise ConnectionRefusedError(111, "Connection refused")


def test_a_killed_jvm_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with MicroBatches(cast("SparkSession", KilledJvm()), ACCESS) as source:
        with pytest.raises(SparkJobError, match="Spark cannot follow: its Java process has ended"):
            source.assign({"__samza_coordinator_none_1": 0})
        monkeypatch.setattr(source, "_query", KilledJvm())
        with pytest.raises(SparkJobError, match="Spark cannot follow: its Java process has ended"):
            source.poll(0)


def test_a_query_that_fails_for_long_ends_the_follower(monkeypatch: pytest.MonkeyPatch) -> None:
    with MicroBatches(cast("SparkSession", KilledJvm()), ACCESS) as source:

        def query(error: Exception | None) -> None:
            members = {"isActive": error is None, "exception": lambda: error, "stop": lambda: None}
            monkeypatch.setattr(source, "_query", SimpleNamespace(**members))

        def fail(error: type[Exception]) -> None:
            query(ValueError("the reason"))
            with pytest.raises(error, match="the reason"):
                source.poll(0)

        fail(SourceUnavailable)
        fail(SourceUnavailable)
        monkeypatch.setattr(micro_batches, "LONGEST_FAILURE_SECONDS", 0.0)
        source._batches.put([])
        source.poll(0)
        fail(SourceUnavailable)
        query(None)
        source.poll(0)
        fail(SourceUnavailable)
        fail(SparkJobError)


@pytest.mark.spark
def test_the_checkpoint_is_temporary_also_where_the_default_file_system_is_another(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spark.conf.set("fs.defaultFS", "hdfs://127.0.0.1:1")
    try:
        with MicroBatches(spark, ACCESS) as source:
            source.assign({"__samza_coordinator_none_1": 0})
            wait_until(lambda: list(tmp_path.glob("*/checkpoint-1/metadata")), what="the checkpoint")
    finally:
        spark.conf.unset("fs.defaultFS")
    assert list(tmp_path.iterdir()) == []
