"""What Samza wrote of recording A's job models at each run is what we write of them."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import dropwhile
from typing import Any, Final

import pytest

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.streams import coordinator_stream_name, identify
from eventlog.wire.coordinator import decode_key
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import job_model_from_json
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.acceptance.samza_answers import FOLDER, recorded_stream

RUNS: Final = ("1", "2", "3", "4")
OF_ASSIGNMENTS: Final = (
    "set-changelog",
    "set-task-container-assignment",
    "set-task-mode-assignment",
    "set-task-partition-assignment",
)

Write = tuple[str, str, str | None]
"""Type, key and values of a message; None: a delete."""


@cache
def bounds(run: str) -> tuple[int, int]:
    """Where the coordinator stream ended when a run started, and when the next one did."""
    told = json.loads((FOLDER / "timeline.json").read_bytes())["timeline"]
    starts = [each["coordinator_end_offset"] for each in told if each["what"].endswith(" started")]
    ends = [*starts[1:], len(recorded_stream("coordinator"))]
    return dict(zip(RUNS, zip(starts, ends, strict=True), strict=True))[run]


def served(run: str) -> JobModel:
    return job_model_from_json((FOLDER / f"jobmodel-{run}.json").read_bytes())


def log_before(run: str) -> EventLog:
    log = MemoryEventLog(identify(coordinator_stream_name("wordcount_pv")))
    log.append([NewEvent(event.key, event.value) for event in recorded_stream("coordinator")[: bounds(run)[0]]])
    return log


def writes(events: Sequence[RecordedEvent]) -> list[Write]:
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


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.scenario("TAM-11")
def test_a_job_model_is_saved_as_samza_saved_it(run: str) -> None:
    start, end = bounds(run)
    log = log_before(run)
    with CoordinatorStreamStore(log) as store:
        JobModelAssignments(store).save(served(run))
    ours, theirs = writes(list(log.read(start))), writes(recorded_stream("coordinator")[start:end])
    assert Counter(ours) == Counter(theirs)
    kept = dropwhile(lambda write: write[2] is not None, ours)
    after_deletes = list(dropwhile(lambda write: write[2] is None, kept))
    assert all(write[2] is not None for write in after_deletes)


@pytest.mark.parametrize("run", RUNS[1:])
@pytest.mark.scenario("TAM-13")
def test_the_last_run_is_read_as_it_was(run: str) -> None:
    last = served(str(int(run) - 1))
    with CoordinatorStreamStore(log_before(run)) as store:
        previous = JobModelAssignments(store).read_previous()
    homes = {task: container.processor_id for container in last.containers.values() for task in container.tasks}
    assert previous.task_containers == homes
    for task, partitions in previous.task_partitions.items():
        assert last.tasks[task].partitions <= partitions  # and a stream that was dropped in between
