"""The commands on brokers of each supported version, and on the one that Samza 1.8 was released with."""

import os
from collections.abc import Iterator
from typing import Final

import pytest

from eventlog.kafka.consumer_groups import ConsumerGroups, GroupOffset
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.system_admin import KafkaSystemAdmin
from spark_jobs.session import find_java
from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine, started
from tests.fixtures.jar_list import old_kafka_jars
from tests.fixtures.kafka_broker import OldBroker, running_broker
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import compiler_beside
from tests.fixtures.waiting import PATIENCE, wait_until
from tests.system.acceptance.followed import config

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

NEWEST: Final = "newest"
WITHOUT_TOPIC_IDS: Final = "2.4.1"
VERSIONS: Final = (WITHOUT_TOPIC_IDS, "2.8.2", "3.0.2", "3.6.2", NEWEST)
INCARNATIONS: Final = f"select incarnation from coordinator.log_position where stream_name = '{COORDINATOR}' order by 1"


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def broker(version: str, request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Iterator[str]:
    """The address of a broker of this version, which has no other topics."""
    if version == NEWEST:
        with request.getfixturevalue("start_broker")() as started:
            yield started.bootstrap_servers
        return
    if compiler_beside(find_java(os.environ)) is None:
        pytest.skip("no javac: install a JDK to test old brokers")
    jars = old_kafka_jars(version).folder(pytestconfig.cache.mkdir(f"kafka-jars-{version}"), os.environ)
    with running_broker(jars, make=OldBroker) as started:
        yield started.bootstrap_servers


def test_the_commands_work(broker: str, version: str, cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", broker)
    with Topics(broker) as topics:
        for stream, recording in zip((COORDINATOR, CHECKPOINT), RECORDING_A, strict=True):
            cli.done("log", "create", stream)
            cli.done("log", "append", stream, "--from-file", recording)
        end = topics.end_offset(COORDINATOR)
        with started(cli, "follow", "--all", COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS=broker) as follower:
            for read in (end, end + 2):
                is_read = f"select from coordinator.log_position where state = 'live' and next_offset = {read}"
                wait_until(lambda: follower.poll() is not None or cli.ask(is_read), what=f"offset {read}")  # noqa: B023
                topics.write(COORDINATOR, config(a="1", b="2"))
            follower.terminate()
            follower.communicate(timeout=PATIENCE)
            assert follower.returncode == 0
        cli.done("config", "set", "wordcount_pv", "c", "3")
        finished = cli("follow", "--all", "--once")
        assert (finished.code, finished.err.count("have no topic ids")) == (0, version == WITHOUT_TOPIC_IDS)

        cli.done("verify", "--all")

        topics.create_again(COORDINATOR)
        topics.write(COORDINATOR, config(**{f"a{number}": "x" for number in range(end + 9)}))
        assert cli("follow", "--all", "--once").code == 0
        assert cli.ask(INCARNATIONS) == [(1,), (2,)]


def test_inputs_and_groups(broker: str, version: str, job_name: str) -> None:
    """Before Kafka 3.0 the newest time of a partition is unknown."""
    with Topics(broker) as topics, KafkaSystemAdmin(KafkaOptions.parse(broker)) as admin:
        topics.create(job_name)
        topics.write(job_name, config(a="1"))
        (bounds,) = admin.get_bounds([job_name])
        assert (bounds.oldest_offset, bounds.end_offset) == (0, 1)
        assert (bounds.newest_time is not None) == (version in ("3.0.2", "3.6.2", NEWEST))
        with ConsumerGroups(KafkaOptions.parse(broker)) as groups:
            assert groups.commit("samza.a", {(job_name, 0): GroupOffset(1)}) == {}
            assert groups.offsets("samza.a") == {(job_name, 0): GroupOffset(1)}
