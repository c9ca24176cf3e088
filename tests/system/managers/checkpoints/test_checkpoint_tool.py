"""Samza's checkpoint tool, on every backend."""

from datetime import timedelta

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointV1, CheckpointV2
from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_manager import checkpoint_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool, OffsetChange
from managers.config.property_file import parse_offsets
from managers.errors import CheckpointUnreadable, JobAlive
from managers.job_facts import JobFacts
from tests.builders import checkpoint_v1, checkpoint_v2, config_set, raw, task_container
from tests.contracts.event_log import NOW, clock
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.watched_log import Opened

READ = "task.checkpoint.read.versions"
LONG_AGO = ms_of(NOW) - 3_600_000
FOO = [SystemStreamPartition("test", "foo", number) for number in range(3)]


def tool(topic: EventLog, *tasks: str, **config: str) -> CheckpointTool:
    """The tool for a job with these tasks, whose checkpoints are on a topic; the log stays open."""
    facts = JobFacts(config, frozenset(tasks))
    manager = checkpoint_manager(config, coordinator=None, checkpoint=Opened(topic))
    return CheckpointTool(manager, facts, clock=clock)


def old(task: str, offset: str, partition: int = 0) -> NewEvent:
    return checkpoint_v1(task, {f"test.foo.{partition}": offset}, at=LONG_AGO)


def checkpoints(topic: EventLog, *tasks: str, **config: str) -> list[Checkpoint | None]:
    with tool(topic, *tasks, **config) as reader:
        return [reader.current()[task] for task in tasks]


@pytest.mark.scenario("CKT-02")
def test_named_tasks_get_the_offsets_given_and_no_other_task_is_touched(topic: EventLog) -> None:
    topic.append([old("P0", "1234"), old("P1", "4321", 1), old("P2", "5", 2)])
    with tool(topic, "P0", "P1", "P2") as writer:
        changes = writer.plan({"P0": {FOO[0]: "42"}, "P1": {FOO[1]: "43"}})
        assert topic.end_offset() == 3  # a plan writes nothing
        assert list(changes[0].offset_changes()) == [OffsetChange("P0", FOO[0], "1234", "42")]
        assert writer.write(changes) == [3, 4]
    assert checkpoints(topic, "P0", "P1") == [CheckpointV1({FOO[0]: "42"}), CheckpointV1({FOO[1]: "43"})]
    assert topic.end_offset() == 5


@pytest.mark.scenario("HRD-16")
def test_all_lines_of_a_task_go_into_one_checkpoint(topic: EventLog) -> None:
    line = "tasknames.P0.systems.test.streams.foo.partitions.{}={}\n"
    given = parse_offsets("".join(line.format(number, 40 + number) for number in range(3)))
    with tool(topic, "P0") as writer:
        assert writer.write(writer.plan(given.offsets)) == [0]
    assert checkpoints(topic, "P0") == [CheckpointV1({FOO[0]: "40", FOO[1]: "41", FOO[2]: "42"})]
    assert topic.end_offset() == 1


@pytest.mark.scenario("CKT-03")
def test_a_second_version_keeps_its_state_markers(topic: EventLog) -> None:
    markers = {"BackupFactory": {"StoreName": "offset"}}
    topic.append([checkpoint_v2("P2", {"test.foo.2": "5678"}, markers=markers, at=LONG_AGO)])
    given = {f"P{number}": {FOO[number]: str(offset)} for number, offset in enumerate((42, 43, 45))}
    for replace in (False, True):
        with tool(topic, *given, **{READ: "2"}) as writer:
            writer.write(writer.plan(given, replace=replace))
        found = [each for each in checkpoints(topic, *given, **{READ: "2"}) if isinstance(each, CheckpointV2)]
        assert {each.checkpoint_id.millis for each in found if each.checkpoint_id} == {ms_of(NOW)}
        assert [(each.offsets, each.state_markers) for each in found] == [
            ({FOO[0]: "42"}, {}),
            ({FOO[1]: "43"}, {}),
            ({FOO[2]: "45"}, markers),
        ]


@pytest.mark.scenario("CKT-02")
def test_a_second_plan_keeps_what_the_first_has_written(topic: EventLog) -> None:
    topic.append([checkpoint_v1("t", {"test.foo.0": "41", "test.foo.1": "7"}, at=LONG_AGO)])
    expected = CheckpointV1({FOO[0]: "12", FOO[1]: "3"})
    with tool(topic, "t") as writer:
        writer.write(writer.plan({"t": {FOO[0]: "12"}}))
        (change,) = writer.plan({"t": {FOO[1]: "3"}})
        assert list(change.offset_changes()) == [OffsetChange("t", FOO[1], "7", "3")]
        writer.require_stopped()  # its own write is not that of a running job
        writer.write([change])
        assert writer.current() == {"t": expected}
    assert checkpoints(topic, "t") == [expected]


@pytest.mark.parametrize(
    ("events", "versions", "expected"),
    [
        ([checkpoint_v2("t", {"test.foo.0": "1"}, at=LONG_AGO)], "1,2", 2),
        ([old("t", "1")], "2,1", 1),
        ([checkpoint_v2("t", {"test.foo.0": "1"}, at=LONG_AGO), old("t", "1")], "2,1", 2),
    ],
)
def test_the_version_is_kept_that_the_task_would_start_from(
    memory_topic: MemoryEventLog, events: list[NewEvent], versions: str, expected: int
) -> None:
    memory_topic.append(events)
    with tool(memory_topic, "t", **{READ: versions}) as writer:
        writer.write(writer.plan({"t": {FOO[0]: "42"}}))
    (found,) = checkpoints(memory_topic, "t", **{READ: versions})
    assert found is not None
    assert (found.offsets, isinstance(found, CheckpointV2)) == ({FOO[0]: "42"}, expected == 2)


@pytest.mark.parametrize(
    ("commit", "age_ms", "words"),
    [
        ("60000", 180_000, "180 s ago, less than 180 s"),
        ("60000", 180_001, None),
        ("1000", 3_000, "3 s ago"),
        ("1000", 3_001, None),
        ("1000", -5, "0 s ago"),
        ("1000", -3_600_000, "3600 s ahead of this computer's clock"),
    ],
)
def test_a_job_that_commits_is_running(
    memory_topic: MemoryEventLog, commit: str, age_ms: int, words: str | None
) -> None:
    memory_topic.append([old("P0", "1"), checkpoint_v1("P1", at=ms_of(NOW) - age_ms)])
    with tool(memory_topic, "P0", **{"task.commit.ms": commit}) as writer:
        if words is None:
            writer.require_stopped()
            return
        with pytest.raises(JobAlive, match=words) as error:
            writer.require_stopped()
    assert error.value.last_commit == NOW.replace(microsecond=89_000) - timedelta(milliseconds=age_ms)


@pytest.mark.scenario("CKT-10")
def test_the_manager_is_stopped_whatever_fails(memory_topic: MemoryEventLog) -> None:
    memory_topic.append([raw(old("P0", "1").key, b"{bad")])
    opened = Opened(memory_topic)
    manager = checkpoint_manager({}, coordinator=None, checkpoint=opened)
    with pytest.raises(CheckpointUnreadable), CheckpointTool(manager, JobFacts({}, frozenset({"P0"}))) as reader:
        reader.current()
    assert len(opened.logs) == 1
    assert all(log.is_closed for log in opened.logs)


@pytest.mark.scenario("CKT-12")
def test_tasks_of_rewritten_inputs_are_known(logs: LogMaker) -> None:
    coordinator, topic = logs.create("coordinator"), logs.create("checkpoint")
    # the coordinator writes its config after the rewriters, and assigns the tasks of what they added
    coordinator.append([config_set("task.inputs", "test.foo,test.added"), task_container("of test.added")])
    facts = JobFacts.read(coordinator)
    manager = checkpoint_manager(facts.config, coordinator=Opened(coordinator), checkpoint=Opened(topic))
    with CheckpointTool(manager, facts, clock=clock) as reader:
        assert reader.current() == {"of test.added": None}
        assert len(reader.plan({"of test.added": {FOO[0]: "1"}})) == 1
