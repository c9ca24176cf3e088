"""Samza 1.8.0 itself reads the config and the checkpoints of a steered job."""

import pytest
from pyspark.sql import SparkSession

from eventlog.checkpoint import CheckpointV1
from eventlog.partition import SystemStreamPartition
from tests.fixtures.samza import Samza
from tests.fixtures.spark_jobs.clicks import ClicksJob

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_samza_reads_config_and_checkpoints(spark: SparkSession, clicks_job: ClicksJob, samza: Samza) -> None:
    def checkpoint(*offsets: str) -> CheckpointV1:
        partitions = (SystemStreamPartition("kafka", clicks_job.topic, number) for number in range(2))
        return CheckpointV1(dict(zip(partitions, offsets, strict=True)))

    job = clicks_job.name
    clicks_job.stream().run(spark, available_now=True)
    assert samza.read_checkpoints(samza.config(job), [job]) == {job: checkpoint("99", "49")}
    assert samza.read_config(job)["task.inputs"] == f"kafka.{clicks_job.topic}"
    clicks_job.rewind(partition=1, offset=0)
    with pytest.raises(ZeroDivisionError):
        clicks_job.stream(process=lambda *_: 1 // 0).run(spark, available_now=True)
    assert samza.read_checkpoints(samza.config(job), [job]) == {job: checkpoint("99", "-1")}
