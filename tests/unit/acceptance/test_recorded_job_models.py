"""Recording A's job models at each run: rebuilt with their ids, and saved as Samza saved their assignments."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile, takewhile
from typing import Any, Final

import pytest

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import MemoryEventLog
from eventlog.messages import SetConfig
from eventlog.streams import coordinator_stream_name, identify
from eventlog.wire.coordinator import decode_key
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.config.job_config import read_config
from managers.job_models.job_coordinator_metadata import (
    JobCoordinatorMetadata,
    JobCoordinatorMetadataManager,
    JobMetadataChange,
)
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model
from managers.job_models.job_model_json import containers_json, job_model_from_json, job_model_to_json
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.acceptance.samza_answers import FOLDER, recorded_stream

RUNS: Final = ("1", "2", "3", "4")
OF_ASSIGNMENTS: Final = (
    "set-changelog",
    "set-task-container-assignment",
    "set-task-mode-assignment",
    "set-task-partition-assignment",
)
NEW_DEPLOYMENT, JOB_MODEL, CONFIG = JobMetadataChange
CHANGES: Final = {
    "1": {NEW_DEPLOYMENT, JOB_MODEL, CONFIG},
    "2": {NEW_DEPLOYMENT, JOB_MODEL},
    "3": set(),
    "4": {NEW_DEPLOYMENT, JOB_MODEL, CONFIG},
}


@dataclass(frozen=True)
class Run:
    """When a run started (the stream's end then), and what its job coordinator was given."""

    start: int
    environment: dict[str, str]


@cache
def runs() -> dict[str, Run]:
    told = json.loads((FOLDER / "timeline.json").read_bytes())["timeline"]
    starts = [each for each in told if each["what"].endswith(" started")]
    return {name: Run(each["coordinator_end_offset"], each["detail"]) for name, each in zip(RUNS, starts, strict=True)}


def stored(events: Sequence[RecordedEvent]) -> CoordinatorStreamStore:
    """A coordinator stream that holds these events."""
    log = MemoryEventLog(identify(coordinator_stream_name("wordcount_pv")))
    log.append([NewEvent(event.key, event.value) for event in events])
    store = CoordinatorStreamStore(log)
    store.init()
    return store


def stored_until(end: int) -> CoordinatorStreamStore:
    """The coordinator stream as it was when it ended at an offset."""
    return stored(recorded_stream("coordinator")[:end])


def config_of(run: Run) -> Mapping[str, str]:
    """What a run was started with: the config that it wrote before all else.

    The stream has more: the URL of the last run's application master, which is not a setting.
    """
    is_config = f'[1,"{SetConfig.message_type}"'.encode()
    events = recorded_stream("coordinator")[run.start :]
    return read_config(stored(list(takewhile(lambda event: (event.key or b"").startswith(is_config), events))))


def input_partitions(name: str) -> dict[tuple[str, str], range]:
    """The partitions of the one input, which was doubled before the last run."""
    count = json.loads((FOLDER / "topics.json").read_bytes())["page-views"]["partitions"]
    return {("kafka", "page-views"): range(count if name == "4" else count // 2)}


def served(name: str) -> JobModel:
    return job_model_from_json((FOLDER / f"jobmodel-{name}.json").read_bytes())


@cache
def rebuilt(name: str) -> JobModel:
    run = runs()[name]
    before = stored_until(run.start)
    mapping = ChangelogPartitionManager(before).read_change_log_partition_mapping()
    return build_job_model(config_of(run), input_partitions(name), mapping, JobModelAssignments(before).read_previous())


def metadata_after(name: str) -> JobCoordinatorMetadata | None:
    """What stands on the stream at the end of a run."""
    return JobCoordinatorMetadataManager(stored_until(end_of(name))).read_job_coordinator_metadata()


@pytest.mark.parametrize("name", RUNS)
def test_a_job_model_is_the_one_that_was_served(name: str) -> None:
    served = (FOLDER / f"jobmodel-{name}.json").read_bytes()
    model = rebuilt(name)
    assert model == job_model_from_json(served)
    assert model.max_changelog_stream_partitions == job_model_from_json(served).max_changelog_stream_partitions
    assert job_model_to_json(job_model_from_json(served)) == served
    assert b'"containers":' + containers_json(model) + b',"max-change' in served
    assert len(job_model_to_json(model)) == len(served)
    assert json.loads(job_model_to_json(model)) == json.loads(served)


@pytest.mark.parametrize("name", RUNS)
def test_ids_are_those_on_the_stream(name: str) -> None:
    run, model = runs()[name], rebuilt(name)
    manager = JobCoordinatorMetadataManager(stored_until(run.start), environment=run.environment)
    made = manager.generate_job_coordinator_metadata(model, model.config)
    assert made == metadata_after(name)
    assert manager.check_for_metadata_changes(made, manager.read_job_coordinator_metadata()) == CHANGES[name]


def test_every_record_of_metadata_was_rebuilt() -> None:
    written = {metadata_after(name) for name in RUNS}
    key = b'[1,"set-job-coordinator-metadata","YARN"]'
    assert len(written) == sum(event.key == key for event in recorded_stream("coordinator")) == 3


def writes(events: Sequence[RecordedEvent]) -> list[tuple[str, str, str | None]]:
    """What events say of assignments, in their order; the order of a partition's tasks means nothing."""
    keys = [decode_key(event.key) for event in events]
    return [
        (key.message_type, key.key, None if event.value is None else values(event.value))
        for key, event in zip(keys, events, strict=True)
        if key.message_type in OF_ASSIGNMENTS
    ]


def values(value: bytes) -> str:
    said: dict[str, Any] = json.loads(value)["values"]
    if "taskNames" in said:
        said = {"taskNames": sorted(json.loads(said["taskNames"]))}
    return json.dumps(said, sort_keys=True)


def end_of(name: str) -> int:
    """Where the coordinator stream ended when the next run started."""
    following = [runs()[other].start for other in RUNS if other > name]
    return following[0] if following else len(recorded_stream("coordinator"))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.scenario("TAM-11", "HRD-32")
def test_a_job_model_is_saved_as_samza_saved_it(name: str) -> None:
    start, end = runs()[name].start, end_of(name)
    with stored_until(start) as store:
        JobModelAssignments(store).save(served(name))
        ours = writes(list(store._log.read(start)))
    assert Counter(ours) == Counter(writes(recorded_stream("coordinator")[start:end]))
    kept = dropwhile(lambda write: write[2] is not None, ours)
    after_deletes = list(dropwhile(lambda write: write[2] is None, kept))
    assert all(write[2] is not None for write in after_deletes)


@pytest.mark.parametrize("name", RUNS[1:])
@pytest.mark.scenario("TAM-13")
def test_the_last_run_is_read_as_it_was(name: str) -> None:
    last = served(str(int(name) - 1))
    with stored_until(runs()[name].start) as store:
        previous = JobModelAssignments(store).read_previous()
    homes = {task: container.processor_id for container in last.containers.values() for task in container.tasks}
    assert previous.task_containers == homes
    for task, partitions in previous.task_partitions.items():
        assert last.tasks[task].partitions <= partitions  # and a stream that was dropped in between
