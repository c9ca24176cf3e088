"""Jobs start as with Samza 1.8.0: the same job models, and the same messages on the coordinator stream."""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from eventlog.errors import ConfigError
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.messages import SetTaskPartitionMapping
from eventlog.streams import identify
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model
from managers.job_models.job_model_json import containers_json, job_model_from_json, job_model_to_json
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import clock
from tests.fixtures import samza_starts
from tests.fixtures.samza import Refused, Samza
from tests.fixtures.samza_starts import Started
from tests.system.managers.generated_starts import STANDBY_FACTOR, STORE, Start, life

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

JOBS: Final = 120
PARTITIONS: Final = SetTaskPartitionMapping.message_type

Stored = Mapping[tuple[str, str], bytes]
Said = dict[tuple[str, str], Any]


class OurJob:
    """A job that this library starts, on its own coordinator stream or another log."""

    def __init__(self, log: EventLog | None = None) -> None:
        self._log: Final = log or MemoryEventLog(identify("__samza_coordinator_started_1"), clock=clock)

    def start(self, start: Start) -> tuple[JobModel, Stored]:
        with CoordinatorStreamStore(self._log) as store:
            assignments = JobModelAssignments(store)
            numbers = ChangelogPartitionManager(store).read_partition_mapping()
            streams = {stream: range(count) for stream, count in start.counts.items()}
            model = build_job_model(start.config, streams, numbers, assignments.read_previous())
            assignments.save(model)
            return model, {(name.namespace, name.key): value for name, value in store.all().items()}


def start_by_samza(samza: Samza, jobs: list[list[Start]]) -> Iterator[Started | Refused]:
    calls = [samza_starts.start(*start, first=not at) for job in jobs for at, start in enumerate(job)]
    return iter(samza.ask(samza_starts.PROGRAM, {}, calls))


def test_jobs_start_as_with_samza(samza: Samza) -> None:
    chance = random.Random(3)
    jobs = [list(life(chance)) for _ in range(JOBS)]
    answers = start_by_samza(samza, jobs)
    models = ordered = 0
    for job in jobs:
        ours = OurJob()
        for start in job:
            answer = next(answers)
            if isinstance(answer, Refused):
                with pytest.raises(ConfigError):
                    ours.start(start)
                continue
            model, stored = ours.start(start)
            assert job_model_from_json(answer.model) == model
            assert in_no_order(job_model_to_json(model)) == in_no_order(answer.model)
            assert_leaves_the_same(model, stored, answer.stored)
            models += 1
            if start is job[0] and STANDBY_FACTOR not in start.config:  # then the order is the same, too
                assert containers_json(model) == containers_of(answer.model)
                ordered += 1
    assert (models > JOBS, ordered > JOBS / 2) == (True, True)


def test_a_job_moves_from_samza_to_us_and_back(
    samza: Samza, kafka_options: KafkaOptions, coordinator_topic: str, job_name: str
) -> None:
    kept = {"job.name": job_name, "task.inputs": "kafka.in,other.in", "job.host-affinity.enabled": "true", **STORE}
    starts = [
        Start({**kept, "job.container.count": count}, {("kafka", "in"): partitions, ("other", "in"): 3})
        for count, partitions in [("2", 4), ("3", 8), ("2", 8), ("2", 16)]
    ]
    ours = OurJob()
    expected = [ours.start(start)[0] for start in starts]
    with KafkaEventLog(kafka_options, identify(coordinator_topic)) as log:
        shared = OurJob(log)
        for number, start in enumerate(starts):
            if number % 2:
                assert shared.start(start)[0] == expected[number]
            else:
                call = samza_starts.start(*start, first=False)
                (answer,) = samza.ask(samza_starts.PROGRAM, samza.config(job_name), [call])
                assert job_model_from_json(answer.model) == expected[number]


def assert_leaves_the_same(model: JobModel, ours: Stored, theirs: Stored) -> None:
    """Both streams are equal, except for partitions without readers, which Samza never deletes."""
    our_words, their_words = said_by(ours), said_by(theirs)
    left = {name: said for name, said in their_words.items() if name not in our_words}
    assert their_words == {**our_words, **left}
    for (kind, _), said in left.items():
        assert kind == PARTITIONS
        assert not model.tasks.keys() >= set(said["taskNames"])


def containers_of(model: bytes) -> bytes:
    return model[model.index(b'"containers":') + len(b'"containers":') : model.rindex(b',"max-change-log')]


def said_by(stored: Stored) -> Said:
    """The values of keys without envelopes; the order of a partition's tasks does not matter."""
    return {name: values(value) for name, value in stored.items()}


def values(value: bytes) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(value)["values"]
    return {name: sorted(json.loads(text)) if name == "taskNames" else text for name, text in said.items()}


def in_no_order(model: bytes) -> tuple[int, str]:
    """A job model's length and content, regardless of the order of its parts."""
    said = json.loads(model)
    for container in said["containers"].values():
        for task in container["tasks"].values():
            task["system-stream-partitions"].sort(key=repr)
    return len(model), json.dumps(said, sort_keys=True)
