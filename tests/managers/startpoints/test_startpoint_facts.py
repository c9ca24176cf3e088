"""What a coordinator stream says of where its job's tasks start."""

from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from managers.startpoints.startpoint_facts import StartpointFacts
from tests.builders import config_set, fan_out, raw, startpoint, task_mode, task_partition, tombstone

IN_0 = SystemStreamPartition("kafka", "in", 0)
IN_1 = SystemStreamPartition("kafka", "in", 1)
GONE_0 = SystemStreamPartition("kafka", "gone", 0)
SEVEN = StartpointSpecific("7", 1)
OLDEST = StartpointOldest(2)


def test_requests_hand_outs_and_readers_are_read(coordinator_log: EventLog) -> None:
    request = startpoint("kafka.in.0", SEVEN)
    events = [
        config_set("task.inputs", "kafka.in"),
        task_partition("kafka.in.0", "a", "Standby-a-0", "b"),
        task_partition("kafka.in.1", "b"),
        task_partition("kafka.gone.0", "a"),
        task_mode("Standby-a-0", "Standby"),
        request,
        raw(request.key, b"{bad"),
        startpoint("kafka.in.1.b", OLDEST),
        tombstone(startpoint("kafka.in.1.b", OLDEST)),
        fan_out("b", {"kafka.in.1": OLDEST}),
    ]
    coordinator_log.append([event._replace(timestamp=5_000) for event in events])
    coordinator_log.append([config_set("late", at=9_000), config_set("last", at=6_000)])
    facts = StartpointFacts.read(coordinator_log)
    assert facts.readers == {IN_0: {"a", "b"}, IN_1: {"b"}, GONE_0: {"a"}}
    assert facts.requests == {"kafka.in.0": SEVEN}
    assert facts.handed_out == {"b": {IN_1: OLDEST}}
    assert facts.newest_record_ms == 9_000
    assert facts.job.config["task.inputs"] == "kafka.in"


def test_a_stream_that_is_no_input_any_more_is_not_read(coordinator_log: EventLog) -> None:
    assigned = [task_partition("kafka.in.0", "a"), task_partition("kafka.gone.0", "a")]
    coordinator_log.append(assigned)
    facts = StartpointFacts.read(coordinator_log)
    assert facts.streams == {("kafka", "in"), ("kafka", "gone")}  # config names no inputs: what is assigned is read
    assert facts.reads() == {"a": {IN_0, GONE_0}}
    coordinator_log.append([config_set("task.inputs", "kafka.in,kafka.new")])
    facts = StartpointFacts.read(coordinator_log)
    assert facts.streams == {("kafka", "in"), ("kafka", "new")}
    assert facts.reads() == {"a": {IN_0}}


def test_an_empty_stream_says_nothing(coordinator_log: EventLog) -> None:
    facts = StartpointFacts.read(coordinator_log)
    assert (facts.reads(), facts.requests, facts.newest_record_ms) == ({}, {}, None)


def test_without_assignments_checkpoints_name_what_tasks_read(coordinator_log: EventLog) -> None:
    coordinator_log.append([config_set("task.inputs", "kafka.in")])
    facts = StartpointFacts.read(coordinator_log)
    known = facts.with_checkpoints({"a": {IN_0: "1", GONE_0: "2"}, "b": {IN_0: None, IN_1: "3"}})
    assert known.reads() == {"a": {IN_0}, "b": {IN_0, IN_1}}
    assert known.assigned_by == "checkpoint"
    assert known.task_names == {"a", "b"}
    assert facts.with_checkpoints({}) == facts


def test_one_assignment_is_enough_to_go_by_assignments(coordinator_log: EventLog) -> None:
    coordinator_log.append([task_partition("kafka.in.0", "a")])
    facts = StartpointFacts.read(coordinator_log)
    assert facts.with_checkpoints({"b": {IN_1: "3"}}) == facts
    assert facts.assigned_by == "assignment"
    assert facts.task_names == {"a"}
