"""JobCoordinatorMetadata: the ids of a deployment, its config and its job model."""

import json
from dataclasses import replace
from typing import Any, Final

import pytest

from eventlog.partition import SystemStreamPartition
from managers.job_models.job_coordinator_metadata import (
    JobCoordinatorMetadata,
    config_id,
    job_model_id,
    yarn_epoch_id,
)
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.job_model_json import containers_json, from_json, to_json
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]

VECTORS: Final = vectors("job_coordinator_metadata")
GOOD: Final = [vector for vector in VECTORS if "samza_error" not in vector["result"]]


def model_of(*containers: ContainerModel) -> JobModel:
    return JobModel({}, {container.processor_id: container for container in containers})


def task(name: str, changelog: int, *partitions: str) -> TaskModel:
    return TaskModel(name, frozenset(map(SystemStreamPartition.parse, partitions)), changelog)


def container(processor_id: str, *tasks: TaskModel) -> ContainerModel:
    return ContainerModel(processor_id, {each.task_name: each for each in tasks})


@pytest.mark.parametrize("vector", GOOD, ids=lambda vector: vector["id"])
def test_ids_are_those_of_samza(vector: Vector) -> None:
    said, result = vector["input"], vector["result"]
    containers = decoded(said["containers_json_b64"]) or b""
    model = from_json(b'{"containers":' + containers + b"}")
    assert config_id(said["config"]) == result["config-id"]
    assert job_model_id(model) == result["job-model-id"]
    epoch = yarn_epoch_id(said["CONTAINER_ID"]) if "CONTAINER_ID" in said else said["SAMZA_EPOCH_ID"]
    assert epoch == result["epoch-id"]


@pytest.mark.parametrize("vector", [each for each in VECTORS if each not in GOOD], ids=lambda vector: vector["id"])
def test_an_invalid_container_id_has_no_epoch(vector: Vector) -> None:
    with pytest.raises(ValueError, match="not the id of a YARN container"):
        yarn_epoch_id(vector["input"]["CONTAINER_ID"])


@pytest.mark.scenario("JCM-06")
def test_the_ids_of_samzas_design() -> None:
    model = model_of(
        container("0", task("t1", 0), task("t2", 1)), container("1", task("t3", 2), task("t4", 3), task("t5", 4))
    )
    config = {"job.autosizing.enabled": "true", "job.autosizing.cpu.core": "16"}
    assert config_id(config) == "1495615516"
    assert job_model_id(model) == "1129846093"
    for text in ("container_1606797336059_0010_01_000002", "CONTAINER_1606797336059_0010_00002"):
        assert yarn_epoch_id(text) == "1606797336059_0010"


@pytest.mark.scenario("JCM-07")
@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"job.autosizing.cpu.core": "24", "job.autosizing.enabled": "true"}, "2094083849"),
        ({}, "0"),
        ({"job.name": "n", "yarn.am.high-availability.enabled": "true"}, "0"),
        ({"job.autosizing.note": "é😀"}, "-1626519303"),
        ({"job.autosizingX": "1"}, "34422917"),
    ],
)
def test_the_id_of_a_config(config: dict[str, str], expected: str) -> None:
    assert config_id(config) == expected


@pytest.mark.scenario("JCM-09")
def test_the_id_of_a_job_model_is_signed() -> None:
    assert job_model_id(model_of(container("1", task("test", 2, "foo.bar.1")))) == "-1622341835"


@pytest.mark.scenario("JCM-20")
def test_the_id_of_twelve_containers_has_javas_order() -> None:
    containers = [container(str(at), task(f"Partition {at}", at, f"kafka.PageViews.{at}")) for at in range(12)]
    assert job_model_id(model_of(*containers)) == job_model_id(model_of(*reversed(containers))) == "-714287258"


def test_the_id_of_a_parsed_model_is_that_of_its_json() -> None:
    """Two of twelve containers share a bucket, and only the JSON shows which was inserted first."""
    containers = [container(str(at), task(f"Partition {at}", at, f"kafka.PageViews.{at}")) for at in range(12)]
    said = json.loads(to_json(model_of(*containers)))
    other = {"11": said["containers"].pop("11"), **said["containers"]}
    written = json.dumps(other, separators=(",", ":")).encode()
    read = from_json(b'{"containers":' + written + b"}")
    assert read.containers == model_of(*containers).containers
    assert containers_json(read) == written
    assert job_model_id(read) != job_model_id(replace(read, config={"a": "b"})) == "-714287258"


@pytest.mark.parametrize(
    ("container_id", "epoch"),
    [
        ("container_1700000000001_0042_01_000001", "1700000000001_0042"),
        ("container_e17_1700000000001_0042_01_000001", "1700000000001_0042"),
        ("container_e17_1700000000001_0043_02_000001", "1700000000001_0043"),
        ("container_1_2", "1_2"),
        ("container_e17_1", "e17_1"),
    ],
)
def test_the_epoch_is_the_application(container_id: str, epoch: str) -> None:
    assert yarn_epoch_id(container_id) == epoch


@pytest.mark.scenario("JCM-17")
@pytest.mark.parametrize("name", ["epoch_id", "config_id", "job_model_id"])
@pytest.mark.parametrize("blank", ["", " ", None])
def test_a_blank_id_is_refused(name: str, blank: str) -> None:
    ids = {"epoch_id": "1", "config_id": "2", "job_model_id": "3"} | {name: blank}
    with pytest.raises(ValueError, match=name):
        JobCoordinatorMetadata(**ids)


@pytest.mark.scenario("JCM-18")
def test_metadata_with_the_same_ids_are_equal() -> None:
    one, same = JobCoordinatorMetadata("e", "c", "m"), JobCoordinatorMetadata("e", "c", "m")
    assert one == same
    assert {one: 1}[same] == 1
    assert one != JobCoordinatorMetadata("e", "c", "other")
