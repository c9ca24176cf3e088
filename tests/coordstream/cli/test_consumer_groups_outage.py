"""`coordstream consumer-groups --watch` while the broker of the inputs is killed and comes back."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from struct import unpack

import pytest

from eventlog.kafka.consumer_groups import ConsumerGroups, GroupOffset
from eventlog.kafka.options import KafkaOptions
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = [pytest.mark.torture, pytest.mark.kafka]

ONE_PARTITION = {"offsets.topic.num.partitions": "1"}


def committed(topics: Topics, group_id: str) -> list[int]:
    """Every offset that was ever committed for a group, in order: Kafka's record of a commit begins with it."""
    records = topics.records("__consumer_offsets")
    return [unpack(">q", one.value[2:10])[0] for one in records if one.value and group_id.encode() in one.key]


def test_a_bridge_goes_on_after_an_outage_of_the_inputs(
    kafka_cli: CommandLine, topics: Topics, start_broker: BrokerMaker, job_name: str, tmp_path: Path
) -> None:
    job = RewindableJob(topics, job_name)
    job.commit(0, 3)
    job.follow(kafka_cli)
    said, group_id = tmp_path / "said", f"samza.{job_name}.1"
    with start_broker(settings=ONE_PARTITION) as broker, said.open("w") as err:
        with Topics(broker.bootstrap_servers) as inputs:
            inputs.create(job.input, partitions=2)
        command = [sys.executable, "-m", "coordstream", "consumer-groups", job.name]
        options = ["--watch", "0.05s", "--input-bootstrap-servers", broker.bootstrap_servers]
        with (
            subprocess.Popen([*command, *options], stderr=err, env=os.environ) as bridge,
            ConsumerGroups(KafkaOptions.parse(broker.bootstrap_servers)) as groups,
        ):

            def offset() -> int | None:
                return groups.offsets(group_id).get((job.input, 0), GroupOffset(-1)).next_offset

            wait_until(lambda: offset() == 4, what="the first offset")
            broker.kill()
            for last in (5, 7):
                job.commit(0, last)
                job.follow(kafka_cli)
            wait_until(lambda: "does not answer" in said.read_text(), what="the outage")
            broker.start()
            wait_until(lambda: offset() == 8, what="the newest offset")
            wait_until(lambda: "again" in said.read_text(), what="the end of the outage")
            job.commit(0, 9)
            job.follow(kafka_cli)
            wait_until(lambda: offset() == 10, what="a later offset")
            bridge.send_signal(signal.SIGINT)
            assert bridge.wait(PATIENCE) == 0
        with Topics(broker.bootstrap_servers) as inputs:
            offsets = committed(inputs, group_id)
    assert (offsets[0], offsets[-1], offsets) == (4, 10, sorted(offsets))
    lines = said.read_text().splitlines()
    assert re.fullmatch(f"{job_name}/1: Kafka at .* does not answer.*", lines[1])
    assert lines[-1] == "The offsets are committed again."
