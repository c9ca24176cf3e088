"""A job model's JSON, both ways, byte-equal to what Samza writes; and a client that reads it."""

from dataclasses import replace
from typing import Any

import pytest

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.job_model_json import job_model_from_json, job_model_to_json
from tests.checkout import CHECKOUT
from tests.vectors.building import partition_of
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]

RECORDED = sorted((CHECKOUT / "tests" / "recordings" / "A").glob("jobmodel-*.json"))


def model_of(said: Vector) -> JobModel:
    containers = {key: container_of(container) for key, container in said["containers"].items()}
    return JobModel(said["config"], containers)


def container_of(said: Vector) -> ContainerModel:
    tasks = {
        name: TaskModel(name, frozenset(map(partition_of, task["ssps"])), task["changelog_partition"], task["mode"])
        for name, task in said["tasks"].items()
    }
    return ContainerModel(said["id"], tasks)


def container_json(fields: str) -> bytes:
    return f'{{"config":{{}},"containers":{{"0":{{{fields}}}}}}}'.encode()


def task_json(fields: str) -> bytes:
    return container_json(f'"processor-id":"0","tasks":{{"T":{{"task-name":"T","changelog-partition":0,{fields}}}}}')


def without_origin(model: JobModel) -> JobModel:
    return replace(model, origin=None)


@pytest.mark.scenario("JMM-02")
@pytest.mark.parametrize("vector", vectors("job_model"), ids=lambda vector: vector["id"])
def test_job_model(vector: Vector) -> None:
    written = decoded(vector["value_b64"]) or b""
    model = model_of(vector["input"])
    assert job_model_to_json(model) == written
    assert job_model_from_json(written) == model
    assert (
        job_model_to_json(job_model_from_json(written))
        == job_model_to_json(without_origin(job_model_from_json(written)))
        == written
    )
    assert model.max_changelog_stream_partitions == vector["input"]["max_changelog_partitions"]


@pytest.mark.parametrize("vector", vectors("job_model_decode"), ids=lambda vector: vector["id"])
def test_job_model_decode(vector: Vector) -> None:
    model = job_model_from_json(vector["input"].encode())
    said = vector["result"]
    assert model == model_of(said)
    assert model.max_changelog_stream_partitions == said["max_changelog_partitions"]


def test_the_order_of_mappings_does_not_matter() -> None:
    model = without_origin(job_model_from_json(RECORDED[0].read_bytes()))
    containers = {
        key: ContainerModel(container.processor_id, dict(reversed(list(container.tasks.items()))))
        for key, container in reversed(list(model.containers.items()))
    }
    turned = JobModel(dict(reversed(list(model.config.items()))), containers)
    assert job_model_to_json(turned) == job_model_to_json(model)


@pytest.mark.scenario("JMM-03")
@pytest.mark.parametrize(("fields", "mode"), [("", "Active"), (',"task-mode":"Standby"', "Standby")])
def test_a_task_without_a_mode_is_active(fields: str, mode: str) -> None:
    model = job_model_from_json(task_json(f'"system-stream-partitions":[]{fields}'))
    assert model.tasks["T"].task_mode == mode
    assert job_model_from_json(job_model_to_json(without_origin(model))) == model


@pytest.mark.scenario("JMM-05")
@pytest.mark.parametrize(
    ("fields", "processor_id"),
    [('"processor-id":"1"', "1"), ('"container-id":1', "1"), ('"processor-id":"123","container-id":1', "123")],
)
def test_a_container_can_have_either_id(fields: str, processor_id: str) -> None:
    assert job_model_from_json(container_json(f'{fields},"tasks":{{}}')).containers["0"].processor_id == processor_id


@pytest.mark.scenario("JMM-05")
@pytest.mark.parametrize("fields", ['"tasks":{}', '"id":"1","tasks":{}', '"id":1,"tasks":{}'])
def test_a_container_without_an_id_is_refused(fields: str) -> None:
    with pytest.raises(WireError, match="container '0' has no container-id"):
        job_model_from_json(container_json(fields))


@pytest.mark.scenario("JMM-06")
def test_the_oldest_form_has_partitions_with_offsets() -> None:
    legacy = task_json('"system-stream-partitions-offsets":{"test.stream1.0":"4","test.stream1.2":null}')
    model = job_model_from_json(legacy)
    first, second = (SystemStreamPartition("test", "stream1", number) for number in (0, 2))
    assert model.tasks["T"].partitions == {first, second}
    assert model.tasks["T"].offsets == {first: "4", second: None}
    assert model.origin is None
    assert b'"system-stream-partitions":[{' in job_model_to_json(model)
    assert job_model_from_json(job_model_to_json(model)) == model
    assert b'"system-stream-partitions-offsets":{"test.stream1.0":"4","test.stream1.2":null}' in (
        written := job_model_to_json(model, oldest_form=True)
    )
    assert (job_model_from_json(written), job_model_from_json(written).tasks["T"].offsets) == (
        model,
        model.tasks["T"].offsets,
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"[]", "the job model is a list, not an object"),
        (b"{}", "the job model has no containers"),
        (b'{"config":{"a":1},"containers":{}}', "a of config is an integer, not a text"),
        (container_json('"processor-id":1,"tasks":{}'), "processor-id of container '0' is an integer, not a text"),
        (container_json('"container-id":"1","tasks":{}'), "container-id of container '0' is a text, not an integer"),
        (container_json('"processor-id":"0"'), "container '0' has no tasks"),
        (task_json('"x":1'), "task 'T' has no system-stream-partitions"),
        (task_json('"system-stream-partitions":{}'), "is an object, not a list"),
        (task_json('"system-stream-partitions":[],"task-mode":"Idle"'), "task 'T' is neither Active nor Standby"),
        (task_json('"system-stream-partitions":[],"task-mode":[]'), "task 'T' is neither Active nor Standby"),
    ],
)
def test_invalid_json_is_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(WireError, match=sentence):
        job_model_from_json(data)
