"""Where the next start of a job's tasks would begin, without and with a change of its requests."""

from eventlog.config import KAFKA_SYSTEM_FACTORY
from eventlog.log import EventLog
from eventlog.messages import Message, SetConfig, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific
from managers.startpoints.next_starts import Requests, StartpointFacts, changed_starts, next_starts
from tests.builders import config_set, fan_out, raw, startpoint, task_mode, task_partition, tombstone

NOW = 1_700_000_000_000
IN_0 = SystemStreamPartition("kafka", "in", 0)
IN_1 = SystemStreamPartition("kafka", "in", 1)
BUCKET = SystemStreamPartition("kafka", "in", 1, 3)
CHECKPOINTS = {"a": {IN_0: "41"}, "b": {IN_0: "51", BUCKET: "61"}}
CONFIG = {"systems.kafka.samza.factory": KAFKA_SYSTEM_FACTORY, "task.inputs": "kafka.in"}
GONE_0 = SystemStreamPartition("kafka", "gone", 0)
SEVEN = StartpointSpecific("7", 1)
OLDEST = StartpointOldest(2)
BACK = StartpointSpecific("7", NOW)


def facts(
    requests: Requests | None = None,
    fanned_out: dict[str, dict[SystemStreamPartition, Startpoint]] | None = None,
    readers: dict[SystemStreamPartition, tuple[str, ...]] | None = None,
    config: dict[str, str] = CONFIG,
) -> StartpointFacts:
    read = readers or {IN_0: ("a", "b"), BUCKET: ("b",)}
    messages: list[Message] = [SetConfig(config_key=key, config_value=value) for key, value in config.items()]
    messages += [SetTaskPartitionMapping(partition=each, task_names=tasks) for each, tasks in read.items()]
    known = StartpointFacts.of(messages)
    return StartpointFacts(known.job, known.readers, requests or {}, fanned_out or {})


def starts(known: StartpointFacts, after: Requests) -> dict[tuple[str, str], tuple[str, str]]:
    found = changed_starts(known, CHECKPOINTS, after, NOW)
    return {(each.task_name, str(each.partition)): (describe(each.before), describe(each.after)) for each in found}


def describe(start: StartingOffset) -> str:
    return f"{start.decided_by} {start.startpoint_type or ''} {start.starting_offset or ''}".replace("  ", " ").strip()


def test_a_request_for_every_task_moves_each_that_reads_the_partition() -> None:
    assert starts(facts(), {"kafka.in.0": BACK}) == {
        ("a", "kafka.in.0"): ("checkpoint 42", "startpoint specific 7"),
        ("b", "kafka.in.0"): ("checkpoint 52", "startpoint specific 7"),
    }


def test_without_a_request_the_fan_out_or_the_checkpoint_decides() -> None:
    expired = {"kafka.in.0": StartpointSpecific("3", NOW - EXPIRY_MS - 1)}
    fan_outs: dict[str, dict[SystemStreamPartition, Startpoint]] = {"a": {IN_0: StartpointSpecific("9", 1)}}
    assert starts(facts(expired, fan_outs), {}) == {
        ("a", "kafka.in.0"): ("startpoint specific 9", "startpoint specific 9"),
        ("b", "kafka.in.0"): ("checkpoint 52", "checkpoint 52"),
    }


def test_a_request_with_an_ambiguous_key_moves_no_task() -> None:
    one, other = SystemStreamPartition("kafka", "s", 1), SystemStreamPartition("kafka", "s.1", 2)
    known = facts(readers={one: ("2",), other: ("u",)}, config={})
    found = starts(known, {"kafka.s.1.2": BACK})
    assert {key: after for key, (_, after) in found.items()} == {
        ("2", "kafka.s.1"): "default upcoming",
        ("u", "kafka.s.1.2"): "default upcoming",
    }


def test_requests_fan_outs_and_readers_are_read(coordinator_log: EventLog) -> None:
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
    found = StartpointFacts.read(coordinator_log)
    assert found.readers == {IN_0: {"a", "b"}, IN_1: {"b"}, GONE_0: {"a"}}
    assert found.requests == {"kafka.in.0": SEVEN}
    assert found.fanned_out == {"b": {IN_1: OLDEST}}
    assert found.newest_record_ms == 9_000
    assert found.job.config["task.inputs"] == "kafka.in"


def test_without_assignments_the_checkpoints_name_the_partitions_of_tasks(coordinator_log: EventLog) -> None:
    coordinator_log.append([config_set("task.inputs", "kafka.in")])
    found = StartpointFacts.read(coordinator_log)
    known = found.with_checkpoints({"a": {IN_0: "1", GONE_0: "2"}, "b": {IN_0: None, IN_1: "3"}})
    assert known.reads() == {"a": {IN_0}, "b": {IN_0, IN_1}}
    assert known.assigned_by == "checkpoint"
    assert known.task_names == {"a", "b"}
    assert found.with_checkpoints({}) == found


def test_a_request_replaces_what_was_fanned_out_to_the_task_before() -> None:
    fan_outs: dict[str, dict[SystemStreamPartition, Startpoint]] = {"b": {IN_0: OLDEST}}
    found = next_starts(facts({"kafka.in.1": BACK}, fan_outs), CHECKPOINTS, {"kafka.in.1": BACK}, NOW)
    assert found["b", IN_0] == StartingOffset("checkpoint", starting_offset="52", ignored_reason="replaced")
    assert found["b", BUCKET].decided_by == "startpoint"
    assert starts(facts({}, fan_outs), {"kafka.in.1": BACK}) == {
        ("b", "kafka.in.0"): ("startpoint oldest", "checkpoint 52"),
        ("b", "kafka.in.1"): ("checkpoint 62", "startpoint specific 7"),
    }
