"""Samza's own HTTP clients read from our coordinator what Samza's coordinator would have served."""

import random
from typing import Final

import pytest

from coordstream.coordinator.containers_server import CoordinatorServer
from managers.assignments.job_model_assignments import localities_to_json
from managers.job_models.job_model_building import build_job_model
from tests.fixtures import samza_coordinator, samza_starts
from tests.fixtures.coordstream.coordinator.serving import context_of, localities, running
from tests.fixtures.samza import Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

CONFIG: Final = {
    "job.name": "ordérs \U0001f600",
    "task.inputs": "kafka.in,kafka.more.events",
    "job.container.count": "3",
    "sensitive.password": 'a "quoted" one\n',
    "empty": "",
}
COUNTS: Final = {("kafka", "in"): 8, ("kafka", "more.events"): 5}


@pytest.mark.scenario("JMM-01")
def test_samza_reads_the_job_model_and_its_config(samza: Samza) -> None:
    (theirs,) = samza.ask(samza_starts.PROGRAM, {}, [samza_starts.start(CONFIG, COUNTS, first=True)])
    model = build_job_model(CONFIG, {stream: range(count) for stream, count in COUNTS.items()}, {})
    with running(CoordinatorServer(context_of(model))) as server:
        calls = [samza_coordinator.job_model(server.url), samza_coordinator.text(server.url)]
        read, text = samza.ask(samza_coordinator.PROGRAM, {}, calls)
    assert text.encode() == theirs.model
    assert read.json == theirs.model
    assert read.config == CONFIG


def test_samza_reads_the_hosts_of_containers(samza: Samza) -> None:
    chance = random.Random(5)
    ids = sorted({"0-1", *(str(chance.randrange(1000)) for _ in range(40))})
    hosts = localities({each: chance.choice(["", "host-1", "host-2"]) for each in ids})
    with running(CoordinatorServer(context_of(read_locality=lambda: hosts))) as server:
        calls = [
            samza_coordinator.localities({each: hosts[each].host_name for each in ids}),
            samza_coordinator.text(f"{server.url}locality"),
            samza_coordinator.heartbeat(server.url),
        ]
        theirs, served, alive = samza.ask(samza_coordinator.PROGRAM, {}, calls)
    assert theirs == served
    assert theirs.encode() == localities_to_json(hosts)
    assert alive is True
