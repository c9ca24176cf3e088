"""The steps of a job coordinator's start."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointOldest
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.config.job_config import TRACKING_URL, read_config, set_config
from managers.coordinator.job_coordinator import JobCoordinator, describe_difference, plan_job
from managers.coordinator.serving_context import JobAttempt
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadataManager, JobMetadataChange
from managers.startpoints.startpoint_manager import StartpointManager
from managers.startpoints.startpoint_records import StartpointUnreadable, request_key
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.managers.coordinator.folder_of_streams import FolderOfStreams
from tests.fixtures.managers.coordinator.made_job import ENVIRONMENT, job_config, start_job

EVERYTHING: Final = frozenset(JobMetadataChange)
VIEWS_0: Final = SystemStreamPartition("kafka", "views", 0)
Start = Callable[..., JobAttempt]


@pytest.fixture
def kafka(tmp_path: Path) -> FolderOfStreams:
    streams = FolderOfStreams(tmp_path)
    streams.set_partition_count("views", 4)
    return streams


@pytest.fixture
def start(store: CoordinatorStreamStore, kafka: FolderOfStreams) -> Start:
    times = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in count())

    def start(
        more: Mapping[str, str] | None = None, *, environment: Mapping[str, str] = ENVIRONMENT, submitted: bool = True
    ) -> JobAttempt:
        coordinator = JobCoordinator(store, environment=environment, clock=lambda: next(times))
        return start_job(coordinator, store, {"kafka": kafka}, job_config("orders", more) if submitted else None)

    return start


def test_a_start_writes_all_that_a_job_needs(
    store: CoordinatorStreamStore, kafka: FolderOfStreams, start: Start
) -> None:
    attempt = start()
    assert attempt.changes == EVERYTHING
    assert read_config(store) == job_config("orders") == attempt.config
    assert kafka.topic_names() == ["__samza_checkpoint_ver_1_for_orders_1", "orders-changelog", "views"]
    assert kafka.partition_count("orders-changelog") == 4
    tasks = {f"Partition {number}": str(number % 2) for number in range(4)}
    assert JobModelAssignments(store).read_previous().task_containers == tasks
    mapping = ChangelogPartitionManager(store).read_change_log_partition_mapping()
    assert mapping == {f"Partition {number}": number for number in range(4)}
    assert JobCoordinatorMetadataManager(store, "NON_YARN").read_job_coordinator_metadata() == attempt.metadata


@pytest.mark.scenario("HRD-56")
def test_another_attempt_writes_nothing_also_if_the_url_is_another(store: CoordinatorStreamStore, start: Start) -> None:
    config = {TRACKING_URL: "http://old/"}
    first = start(config)
    set_config(store, TRACKING_URL, "http://new/")
    end = store.position
    store.put(request_key(VIEWS_0, None), b"{}")
    with pytest.raises(StartpointUnreadable):
        start(config)
    store.delete(request_key(VIEWS_0, None))
    again = start(config)
    assert (again.changes, again.job_model, again.metadata) == (frozenset(), first.job_model, first.metadata)
    assert start(submitted=False).changes == frozenset()
    assert store.position == end + 2  # the request and its delete


def test_the_deployment_is_named_by_its_config_if_the_environment_does_not(start: Start) -> None:
    first = start(environment={})
    assert first.metadata.epoch_id.startswith("orders-1-")
    assert start(environment={}).metadata == first.metadata
    assert start({"task.opts": "-Xmx1g"}, environment={}).changes == {JobMetadataChange.NEW_DEPLOYMENT}


def test_what_others_set_meanwhile_stays(store: CoordinatorStreamStore, kafka: FolderOfStreams, start: Start) -> None:
    rewriter = {"class": "org.apache.samza.config.RegExTopicGenerator", "system": "kafka", "regex": "views.*"}
    settings = {f"job.config.rewriter.r.{key}": rewriter[key] for key in rewriter} | {"job.config.rewriters": "r"}
    start(settings, environment={})
    kafka.set_partition_count("views-2", 4)
    assert start(settings, environment={}).changes == {JobMetadataChange.JOB_MODEL}
    kafka.set_partition_count("views-3", 4)
    plan = plan_job(store, read_config(store), {"kafka": kafka})
    set_config(store, "task.class", "demo.Other")
    set_config(store, "task.opts", "-Xmx1g")
    attempt = JobCoordinator(store, environment={}).start(plan, {"kafka": kafka})
    assert attempt.changes == {JobMetadataChange.JOB_MODEL}
    assert read_config(store) == {**plan.config, "task.class": "demo.Other", "task.opts": "-Xmx1g"}


def test_a_stream_that_grows_keeps_its_tasks(kafka: FolderOfStreams, start: Start) -> None:
    old = start().job_model
    kafka.set_partition_count("views", 8)
    attempt = start(submitted=False)
    assert attempt.changes == {JobMetadataChange.JOB_MODEL}
    assert attempt.job_model.tasks.keys() == old.tasks.keys()
    assert {each.partition for each in attempt.job_model.tasks["Partition 1"].partitions} == {1, 5}
    assert describe_difference(old, attempt.job_model).startswith("other partitions for Partition 0, Partition 1")


@pytest.mark.parametrize(
    ("more", "expected"),
    [({}, True), ({"yarn.am.high-availability.enabled": "true"}, False), ({"job.startpoint.enabled": "false"}, False)],
)
def test_a_start_without_changes_fans_out_where_samza_does(
    store: CoordinatorStreamStore, start: Start, more: Mapping[str, str], expected: bool
) -> None:
    start(more)
    with StartpointManager(store, clock=lambda: 0) as manager:
        manager.write_startpoint(VIEWS_0, StartpointOldest(1_767_225_600_000))
        start(more)
        assert bool(manager.get_fan_out_for_task("Partition 0")) == expected


@pytest.mark.parametrize(
    "setting",
    [
        {"job.elasticity.factor": "2"},
        {"job.container.count": "many"},
        {"task.name.grouper.factory": "demo.Grouper"},
        {"job.systemstreampartition.grouper.factory": "demo.Grouper"},
        {
            "job.config.rewriters": "r",
            "job.config.rewriter.r.class": "org.apache.samza.config.EnvironmentConfigRewriter",
        },
        {"job.config.rewriters": "r"},
        {"job.coordinator.factory": "org.apache.samza.zk.ZkJobCoordinatorFactory"},
        {"app.class": "demo.App", "task.inputs": ""},
        {"job.diagnostics.enabled": "true"},
        {"task.checkpoint.factory": "demo.CheckpointManagerFactory"},
        {"stores.s.backup.factories": "demo.BackendFactory"},
    ],
)
def test_a_setting_that_is_not_implemented_is_refused(
    store: CoordinatorStreamStore, start: Start, setting: Mapping[str, str]
) -> None:
    with pytest.raises(ConfigError) as raised:
        start(setting)
    assert next(iter(setting)).split(".", maxsplit=1)[0] in str(raised.value) or "Store s" in str(raised.value)
    assert store.position == 0
