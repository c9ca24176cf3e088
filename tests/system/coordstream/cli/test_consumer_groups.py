"""`coordstream consumer-groups`, on inputs of a real broker."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from coordstream.cli.consumer_groups import Committer
from eventlog.kafka.consumer_groups import ConsumerGroups, GroupOffset
from eventlog.kafka.options import KafkaOptions
from eventlog.source import SourceUnavailable
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Call, Samza
from tests.fixtures.waiting import PATIENCE, wait_until

GROUPS = "consumer-groups"


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    return RewindableJob(topics, job_name)


@pytest.fixture
def groups(kafka_options: KafkaOptions) -> Iterator[ConsumerGroups]:
    with ConsumerGroups(kafka_options) as groups:
        yield groups


def group_of(job: RewindableJob) -> str:
    return f"samza.{job.name}.1"


def offsets(groups: ConsumerGroups, job: RewindableJob) -> dict[int, int]:
    return {partition: each.next_offset for (_, partition), each in groups.offsets(group_of(job)).items()}


def outcomes(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["partition_id"], row["group_offset"], row["outcome"]) for row in rows]


def test_offsets_of_others_are_kept_unless_they_are_to_be_replaced(
    kafka_cli: CommandLine, job: RewindableJob, groups: ConsumerGroups
) -> None:
    job.commit(0, 7)
    job.commit(1, 4)
    job.follow(kafka_cli)
    kafka_cli.done(GROUPS, job.name)
    groups.commit(group_of(job), {(job.input, 0): GroupOffset(2, "coordstream 8"), (job.input, 1): GroupOffset(5)})
    kept = kafka_cli(GROUPS, job.name, "--json")
    assert (kept.code, outcomes(kept.json)) == (1, [(0, 2, "kept"), (1, 5, "committed")])
    assert "somebody else has set the offset of the group" in kept.err
    assert offsets(groups, job) == {0: 2, 1: 5}
    kafka_cli.done(GROUPS, job.name, "--overwrite")
    assert offsets(groups, job) == {0: 8, 1: 5}


def test_a_group_with_running_consumers_is_refused(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics, groups: ConsumerGroups
) -> None:
    job.commit(0, 7)
    job.follow(kafka_cli)
    with topics.member(group_of(job), job.input):
        refused = kafka_cli(GROUPS, job.name, "--json")
        assert (refused.code, outcomes(refused.json)) == (1, [(0, None, "failed"), (1, None, "failed")])
        assert f"{job.name}/1: Consumers of the group {group_of(job)} are running" in refused.err
    kafka_cli.done(GROUPS, job.name)
    assert offsets(groups, job) == {0: 8}


def test_a_cluster_that_does_not_answer_is_asked_once() -> None:
    nowhere = KafkaOptions.parse("127.0.0.1:1")
    with Committer() as clusters:
        groups = clusters.groups(nowhere)
        clusters.silent[nowhere] = SourceUnavailable("no answer")
        with pytest.raises(SourceUnavailable, match="no answer"):
            clusters.groups(nowhere)
        clusters.silent.clear()
        assert clusters.groups(nowhere) is groups


def test_checkpoints_are_committed_again_and_again(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics, groups: ConsumerGroups
) -> None:
    job.commit(0, 3)
    job.follow(kafka_cli)
    command = [sys.executable, "-m", "coordstream", GROUPS, "--all", "--watch", "0.05s"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ, text=True) as watch:
        wait_until(lambda: offsets(groups, job) == {0: 4}, what="the first offset")
        groups.commit(group_of(job), {(job.input, 0): GroupOffset(1)})
        job.commit(0, 5)
        job.commit(1, 2)
        job.follow(kafka_cli)
        wait_until(lambda: offsets(groups, job) == {0: 1, 1: 3}, what="the offset of the other partition")
        with topics.member(group_of(job), job.input):
            job.commit(1, 4)
            job.follow(kafka_cli)
        wait_until(lambda: offsets(groups, job) == {0: 1, 1: 5}, what="the offset after the group is free")
        watch.send_signal(signal.SIGINT)
        _, said = watch.communicate(timeout=PATIENCE)
    assert watch.returncode == 0
    assert "somebody else has set the offset" in said


@pytest.mark.kafka
@pytest.mark.slow
@pytest.mark.long
def test_kafkas_own_program_shows_the_lag_of_the_job(
    kafka_cli: CommandLine, job: RewindableJob, samza: Samza, kafka_bootstrap_servers: str
) -> None:
    job.produce(0, 10)
    job.produce(1, 5)
    job.commit(0, 3)
    job.commit(1, 4)
    job.follow(kafka_cli)
    kafka_cli.done(GROUPS, job.name)
    group = group_of(job)
    arguments = ["--bootstrap-server", kafka_bootstrap_servers, "--describe", "--group", group]
    (described,) = samza.ask("ConsumerGroups", {}, [Call({"arguments": arguments})])
    lines = [line.split()[:6] for line in str(described).splitlines() if line.startswith(group)]
    assert sorted(lines) == [[group, job.input, "0", "4", "10", "6"], [group, job.input, "1", "5", "5", "0"]]
    shown = [(row["partition_id"], row["records_behind"]) for row in kafka_cli.rows("lag", job.name)]
    assert shown == [(0, 6), (1, 0)]
