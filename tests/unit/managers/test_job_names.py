"""What a job's config says of its name and of the streams that are its own."""

import pytest

from managers.errors import MissingSetting
from managers.job_names import (
    build_coordinator_stream_config,
    checkpoint_stream,
    coordinator_stream,
    coordinator_system,
)


@pytest.mark.scenario("CFG-06")
def test_a_coordinator_gets_what_it_needs_and_no_more() -> None:
    config = {
        "job.name": "test-job-name",
        "job.id": "i001",
        "job.coordinator.system": "samzatest",
        "systems.samzatest.test": "test",
        "systems.samzatest2.password": "hunter2",
        "test.only": "nothing",
    }
    assert build_coordinator_stream_config(config) == {
        "job.name": "test-job-name",
        "job.id": "i001",
        "job.coordinator.system": "samzatest",
        "job.coordinator.monitor-partition-change.frequency.ms": "300000",
        "systems.samzatest.test": "test",
    }


@pytest.mark.scenario("CFG-07")
def test_names_of_streams_have_no_underscores_of_the_job() -> None:
    config = {"job.name": "a_b", "job.id": "1_2"}
    assert coordinator_stream(config).stream_name == "__samza_coordinator_a-b_1-2"
    assert checkpoint_stream(config).stream_name == "__samza_checkpoint_ver_1_for_a-b_1-2"


@pytest.mark.scenario("CFG-09")
def test_a_job_has_an_id_and_must_have_a_name() -> None:
    assert coordinator_stream({"job.name": "orders"}).stream_name == "__samza_coordinator_orders_1"
    with pytest.raises(MissingSetting, match=r"The config has no job\.name, which is part of") as missing:
        coordinator_stream({"job.id": "2"})
    assert missing.value.config_key == "job.name"


@pytest.mark.scenario("CFG-10")
def test_the_system_of_the_coordinator_is_not_guessed() -> None:
    with pytest.raises(MissingSetting, match=r"no job\.coordinator\.system, nor job\.default\.system"):
        coordinator_system({"task.inputs": "kafka.in", "systems.kafka.samza.factory": "x"})
    assert coordinator_system({"job.default.system": "kafka"}) == "kafka"
    assert coordinator_system({"job.default.system": "kafka", "job.coordinator.system": "other"}) == "other"


def test_each_run_of_a_batch_job_has_a_checkpoint_topic() -> None:
    config = {"job.name": "my_job", "job.id": "my-id", "app.mode": "batch", "app.run.id": "run_1"}
    assert checkpoint_stream(config).stream_name == "__samza_checkpoint_ver_1_for_my-job_my-id-run_1"
    assert coordinator_stream(config).stream_name == "__samza_coordinator_my-job_my-id"
    without_id = {key: value for key, value in config.items() if key != "app.run.id"}
    for shared in (without_id, {**config, "app.mode": "STREAM"}):
        assert checkpoint_stream(shared).stream_name == "__samza_checkpoint_ver_1_for_my-job_my-id"
