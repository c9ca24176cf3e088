"""Metadata of job coordinators: their ids, on the stream, and their changes."""

import json
from collections.abc import Mapping
from typing import Any, Final, cast

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.wire.coordinator import encode_key
from managers.errors import NotReady
from managers.job_models.job_coordinator_metadata import (
    NON_YARN,
    JobCoordinatorMetadata,
    JobCoordinatorMetadataManager,
    JobMetadataChange,
    MetadataMetrics,
    MetadataNotGenerated,
    MetadataNotWritten,
    config_id,
    job_model_id,
    yarn_epoch_id,
)
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import job_model_from_json
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import STREAM, clock
from tests.fixtures.managers.log_makers import LogMaker
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]

VECTORS: Final = vectors("job_coordinator_metadata")
GOOD: Final = [vector for vector in VECTORS if "samza_error" not in vector["result"]]


@pytest.mark.scenario("JCM-06", "JCM-07", "JCM-09")
@pytest.mark.parametrize("vector", GOOD, ids=lambda vector: vector["id"])
def test_ids_are_those_of_samza(vector: Vector) -> None:
    said, result = vector["input"], vector["result"]
    containers = decoded(said["containers_json_b64"]) or b""
    model = job_model_from_json(b'{"containers":' + containers + b"}")
    assert config_id(said["config"]) == result["config-id"]
    assert job_model_id(model) == result["job-model-id"]
    epoch = yarn_epoch_id(said["CONTAINER_ID"]) if "CONTAINER_ID" in said else said["SAMZA_EPOCH_ID"]
    assert epoch == result["epoch-id"]


@pytest.mark.parametrize("vector", [each for each in VECTORS if each not in GOOD], ids=lambda vector: vector["id"])
def test_an_invalid_container_id_has_no_epoch(vector: Vector) -> None:
    with pytest.raises(ValueError, match="not the id of a YARN container"):
        yarn_epoch_id(vector["input"]["CONTAINER_ID"])


@pytest.mark.scenario("JCM-17")
@pytest.mark.parametrize("name", ["epoch_id", "config_id", "job_model_id"])
@pytest.mark.parametrize("blank", ["", " ", None])
def test_a_blank_id_is_refused(name: str, blank: str) -> None:
    ids = {"epoch_id": "1", "config_id": "2", "job_model_id": "3"} | {name: blank}
    with pytest.raises(ValueError, match=name):
        JobCoordinatorMetadata(**ids)


NEW_DEPLOYMENT, JOB_MODEL, CONFIG = JobMetadataChange
EMPTY: Final = JobModel({}, {})
CONTAINER: Final = {"CONTAINER_ID": "container_1606797336059_0010_01_000002"}


def metadata(
    epoch_id: str = "1606797336059_0010", config_id: str = "1", job_model_id: str = "1"
) -> JobCoordinatorMetadata:
    return JobCoordinatorMetadata(epoch_id, config_id, job_model_id)


@pytest.fixture
def unopened() -> CoordinatorStreamStore:
    return CoordinatorStreamStore(MemoryEventLog(STREAM, clock=clock))


@pytest.fixture
def manager(unopened: CoordinatorStreamStore) -> JobCoordinatorMetadataManager:
    return JobCoordinatorMetadataManager(unopened, environment=CONTAINER)


@pytest.mark.scenario("JCM-02", "JCM-01")
def test_changes_between_attempts(manager: JobCoordinatorMetadataManager) -> None:
    assert manager.check_for_metadata_changes(metadata("1606797336059_0011"), metadata()) == {NEW_DEPLOYMENT}
    assert manager.metrics == MetadataMetrics(new_deployment=1)
    assert manager.check_for_metadata_changes(metadata(config_id="2"), metadata()) == {CONFIG}
    assert manager.check_for_metadata_changes(metadata(job_model_id="2"), metadata()) == {JOB_MODEL}
    assert not manager.check_for_metadata_changes(metadata(), metadata())
    assert manager.metrics == MetadataMetrics(1, new_deployment=1, job_model_changed=1, config_changed=1)


@pytest.mark.scenario("JCM-03")
@pytest.mark.parametrize("vector", vectors("job_metadata_change"), ids=lambda vector: vector["id"])
def test_changes_are_those_of_samza(vector: dict[str, Any], manager: JobCoordinatorMetadataManager) -> None:
    new, previous = (_said(vector["input"][name]) for name in ("new", "previous"))
    assert new is not None
    assert sorted(manager.check_for_metadata_changes(new, previous)) == vector["changes"]


def _said(ids: Mapping[str, str] | None) -> JobCoordinatorMetadata | None:
    return None if ids is None else JobCoordinatorMetadata(ids["epoch-id"], ids["config-id"], ids["job-model-id"])


@pytest.mark.scenario("JCM-12")
@pytest.mark.parametrize("environment", [{}, {"CONTAINER_ID": "foo"}, {"SAMZA_EPOCH_ID": "abc"}])
def test_without_an_application_no_metadata_is_generated(
    environment: dict[str, str], unopened: CoordinatorStreamStore
) -> None:
    manager = JobCoordinatorMetadataManager(unopened, environment=environment)
    with pytest.raises(MetadataNotGenerated, match=r"Failed to generate metadata .* CONTAINER_ID") as raised:
        manager.generate_job_coordinator_metadata(EMPTY, {})
    assert isinstance(raised.value.__cause__, KeyError | ValueError)
    assert manager.metrics == MetadataMetrics(metadata_generation_failed_count=1)


def test_a_config_of_other_values_and_no_cluster_type_are_refused(unopened: CoordinatorStreamStore) -> None:
    config: dict[str, Any] = {"job.autosizing.cpu.cores": 16}
    manager = JobCoordinatorMetadataManager(unopened, environment=CONTAINER)
    with pytest.raises(TypeError, match=r"the value of job\.autosizing.* must be a string, not int"):
        manager.generate_job_coordinator_metadata(EMPTY, config)
    with pytest.raises(ValueError, match="cluster_type must be 'YARN' or 'NON_YARN', not None"):
        JobCoordinatorMetadataManager(unopened, cast("str", None))


@pytest.mark.scenario("HRD-55")
def test_other_clusters_have_the_deployment_in_the_environment(unopened: CoordinatorStreamStore) -> None:
    environment = {"SAMZA_EPOCH_ID": "abc"} | CONTAINER
    other = JobCoordinatorMetadataManager(unopened, NON_YARN, environment=environment)
    assert other.generate_job_coordinator_metadata(EMPTY, {}).epoch_id == "abc"
    yarn = JobCoordinatorMetadataManager(unopened, environment=environment)
    assert yarn.generate_job_coordinator_metadata(EMPTY, {}).epoch_id == "1606797336059_0010"
    for missing in (CONTAINER, {"SAMZA_EPOCH_ID": " "}):
        manager = JobCoordinatorMetadataManager(unopened, NON_YARN, environment=missing)
        with pytest.raises(MetadataNotGenerated, match="SAMZA_EPOCH_ID"):
            manager.generate_job_coordinator_metadata(EMPTY, {})


@pytest.mark.scenario("JCM-13", "JCM-18")
def test_metadata_is_read_by_another_manager(
    logs: LogMaker, coordinator_log: EventLog, store: CoordinatorStreamStore
) -> None:
    written = metadata("1606797336059_0011", "2", "2")
    manager = JobCoordinatorMetadataManager(store, clock=clock)
    assert manager.read_job_coordinator_metadata() is None
    manager.write_job_coordinator_metadata(written)
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as other:
        assert JobCoordinatorMetadataManager(other).read_job_coordinator_metadata() == written
        assert JobCoordinatorMetadataManager(other, NON_YARN).read_job_coordinator_metadata() is None
    (event,) = coordinator_log.read(0)
    assert event.key == b'[1,"set-job-coordinator-metadata","YARN"]'
    assert json.loads(event.value or b"")["values"] == {
        "meta-key": '{"epoch-id":"1606797336059_0011","config-id":"2","job-model-id":"2"}'
    }


@pytest.mark.scenario("JCM-14")
def test_a_failed_write_raises(unopened: CoordinatorStreamStore) -> None:
    manager = JobCoordinatorMetadataManager(unopened)
    with pytest.raises(MetadataNotWritten, match="Failed to write the metadata of cluster type YARN") as raised:
        manager.write_job_coordinator_metadata(metadata())
    assert isinstance(raised.value.__cause__, NotReady)
    with pytest.raises(TypeError):
        manager.write_job_coordinator_metadata(cast("Any", None))
    assert manager.metrics == MetadataMetrics(metadata_write_failed_count=1)


@pytest.mark.scenario("HRD-56")
def test_unchanged_metadata_is_not_written_again(coordinator_log: EventLog, store: CoordinatorStreamStore) -> None:
    first = JobCoordinatorMetadataManager(store, environment=CONTAINER)
    first.write_job_coordinator_metadata(first.generate_job_coordinator_metadata(EMPTY, {}))
    end = coordinator_log.end_offset()
    again = {"CONTAINER_ID": "container_1606797336059_0010_02_000001"}
    second = JobCoordinatorMetadataManager(store, environment=again)
    now = second.generate_job_coordinator_metadata(EMPTY, {})
    for attempts in (1, 2):
        assert not second.check_for_metadata_changes(now, second.read_job_coordinator_metadata())
        assert second.metrics == MetadataMetrics(application_attempt_count=attempts)
        second.write_job_coordinator_metadata(now)
    assert coordinator_log.end_offset() == end
    second.write_job_coordinator_metadata(metadata(config_id="7"))
    assert second.read_job_coordinator_metadata() == metadata(config_id="7")


@pytest.mark.parametrize("value", [b"{bad", b'{"values":{"meta-key":"{bad"}}', b'{"values":{"meta-key":"[]"}}', b"7"])
def test_unreadable_metadata_is_ignored_counted_and_logged(
    coordinator_log: EventLog, store: CoordinatorStreamStore, caplog: pytest.LogCaptureFixture, value: bytes
) -> None:
    bad = NewEvent(encode_key("set-job-coordinator-metadata", "YARN"), value)
    coordinator_log.append([bad])
    manager = JobCoordinatorMetadataManager(store)
    assert manager.read_job_coordinator_metadata() is None
    assert manager.metrics == MetadataMetrics(metadata_read_failed_count=1)
    assert "Ignoring the metadata of cluster type YARN: " in caplog.text
    manager.write_job_coordinator_metadata(metadata())
    coordinator_log.append([bad])
    assert manager.read_job_coordinator_metadata() == metadata()
    assert manager.metrics == MetadataMetrics(metadata_read_failed_count=3)
