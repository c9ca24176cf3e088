"""Samza 1.8.0 reads the config and the checkpoints of a steered job, and Kafka's own tool shows its lag."""

import pytest
from pyspark.sql import SparkSession

from eventlog.checkpoint import CheckpointV1
from eventlog.partition import SystemStreamPartition
from tests.fixtures.samza import Call, Samza
from tests.fixtures.spark_jobs.clicks import ClicksJob, clicks

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


def test_kafkas_own_program_shows_the_lag(spark: SparkSession, clicks_job: ClicksJob, samza: Samza) -> None:
    clicks_job.stream().run(spark, available_now=True)
    clicks_job.topics.write(clicks_job.topic, clicks(range(6)), partition=1)
    clicks_job.follow()
    assert clicks_job.cli("consumer-groups", clicks_job.name).code == 0
    group = clicks_job.cli("consumer-groups", clicks_job.name, "--json").json[0]["group_id"]
    arguments = ["--bootstrap-server", clicks_job.topics.bootstrap_servers, "--describe", "--group", group]
    (described,) = samza.ask("ConsumerGroups", {}, [Call({"arguments": arguments})])
    lines = [line.split()[1:6] for line in str(described).splitlines() if line.startswith(group)]
    topic = clicks_job.topic
    assert sorted(lines) == [[topic, "0", "100", "100", "0"], [topic, "1", "50", "56", "6"]]
