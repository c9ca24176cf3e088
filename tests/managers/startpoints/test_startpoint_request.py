"""A startpoint request before it is written: its keys, invalid requests, and warnings."""

from collections.abc import Mapping

import pytest

from eventlog.messages import Message, SetConfig, SetTaskPartitionMapping
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from managers.startpoints.next_starts import StartpointFacts
from managers.startpoints.startpoint_records import InvalidStartpointRequest
from managers.startpoints.startpoint_request import NO_LEADER_FACTORY, choose_keys, job_warnings, key_warnings

PLAIN = SystemStreamPartition("kafka", "orders", 0)
IN = ("kafka", "in")
READ = {("in", 0): ("a", "b"), ("in", 1): ("b",), ("in", 2): ("c",), ("gone", 0): ("a",)}


def facts(inputs: str | None = "kafka.in,kafka.new") -> StartpointFacts:
    messages: list[Message] = [
        SetTaskPartitionMapping(partition=SystemStreamPartition("kafka", *part), task_names=tasks)
        for part, tasks in READ.items()
    ]
    if inputs is not None:
        messages.append(SetConfig(config_key="task.inputs", config_value=inputs))
    return StartpointFacts.of(messages)


def keys(partitions: tuple[int, ...] | None = None, *tasks: str, existing: tuple[int, ...] = ()) -> list[str]:
    return [str(key) for key in choose_keys(facts(), IN, partitions, tasks, existing=existing)]


def test_all_partitions_are_those_that_tasks_read_and_those_on_the_input() -> None:
    assert keys() == ["kafka.in.0", "kafka.in.1", "kafka.in.2"]
    assert keys(existing=(0, 1, 2, 3)) == ["kafka.in.0", "kafka.in.1", "kafka.in.2", "kafka.in.3"]


def test_some_partitions_and_some_tasks() -> None:
    assert keys((2, 0)) == ["kafka.in.0", "kafka.in.2"]
    assert keys((0,), "b", "a") == ["kafka.in.0.b", "kafka.in.0.a"]


def test_a_task_that_reads_a_key_bucket_reads_the_partition() -> None:
    parts = [
        SetTaskPartitionMapping(partition=SystemStreamPartition(*IN, 0, bucket), task_names=(task,))
        for bucket, task in enumerate("ab")
    ]
    split = StartpointFacts.of(parts)
    for task in "ab":
        for partitions in (None, (0,)):
            assert list(map(str, choose_keys(split, IN, partitions, (task,)))) == [f"kafka.in.0.{task}"]


@pytest.mark.parametrize(
    ("stream", "partitions", "tasks", "sentence"),
    [
        (("kafka", "gone"), None, (), r"does not read kafka\.gone\. Its inputs: kafka\.in, kafka\.new\."),
        (("other", "in"), None, (), r"does not read other\.in"),
        (IN, (1, 3), (), r"No task reads partition 3 of kafka\.in; the last partition is 2\."),
        (IN, None, ("d",), r"has no task 'd'\. Its tasks: a, b, c\."),
        (IN, (0, 1), ("a",), r"Task 'a' does not read partition 1 of kafka\.in\. It reads: 0\."),
    ],
)
def test_a_request_that_no_task_would_follow_is_invalid_unless_forced(
    stream: tuple[str, str], partitions: tuple[int, ...] | None, tasks: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(InvalidStartpointRequest, match=sentence):
        choose_keys(facts(), stream, partitions, tasks)
    assert choose_keys(facts(), stream, partitions or (7,), tasks, force=True)


def test_unknown_partitions_must_be_named() -> None:
    with pytest.raises(
        InvalidStartpointRequest,
        match=r"No task is known to read a partition of kafka\.new\. Name the partitions, for example",
    ):
        choose_keys(facts(), ("kafka", "new"), None)
    (key,) = choose_keys(facts(), ("kafka", "new"), (4,))
    assert str(key) == "kafka.new.4"
    with pytest.raises(InvalidStartpointRequest, match="Name the partitions"):
        choose_keys(facts(), ("other", "in"), None, force=True)


@pytest.mark.scenario("HRD-42")
def test_warns_of_a_coordinator_that_does_not_fan_out_startpoints() -> None:
    (warning,) = job_warnings({"job.coordinator.factory": NO_LEADER_FACTORY})
    assert NO_LEADER_FACTORY == "org.apache.samza.standalone.PassthroughJobCoordinatorFactory"
    assert "does not fan out startpoints" in warning


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"job.startpoint.enabled": "false"}, "job.startpoint.enabled is not true"),
        ({"yarn.am.high-availability.enabled": "true"}, "only when it is deployed again"),
        (
            {"stores.b.changelog": "x", "stores.a.changelog": "x", "stores.c.factory": "x", "stores.d.changelog": ""},
            "does not rewind the state stores a, b:",
        ),
    ],
)
def test_warns_of_settings_that_change_what_a_startpoint_does(config: Mapping[str, str], words: str) -> None:
    (warning,) = job_warnings(config)
    assert words in warning


def test_a_plain_job_and_a_plain_key_give_no_warning() -> None:
    assert list(job_warnings({"job.coordinator.factory": "org.apache.samza.zk.ZkJobCoordinatorFactory"})) == []
    for key in (StartpointKey(PLAIN), StartpointKey(PLAIN, TaskName("Partition 0"))):
        assert [*key_warnings(key, {"Partition 0": [PLAIN]}), *key_warnings(key, {})] == []


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("a.5", "a job on Samza 1.8.0 reads it as partition 5 of a"),
        ("v1.2.3", "reads it as partition 2 of v1"),
        ("com.orders", "fails when it reads the fan-out of its tasks"),
    ],
)
def test_warns_of_a_dotted_stream(stream: str, words: str) -> None:
    dotted = SystemStreamPartition("kafka", stream, 0)
    (warning,) = key_warnings(StartpointKey(dotted), {"t": [dotted]})
    assert words in warning


def test_warns_of_an_ambiguous_key_unless_the_tasks_settle_it() -> None:
    plain, dotted = SystemStreamPartition("k", "s", 1), SystemStreamPartition("k", "s.1", 2)
    key = StartpointKey(plain, TaskName("2"))
    for tasks in ({"2": [plain], "t": [dotted]}, {}, {"t": [dotted]}):
        (warning,) = key_warnings(key, tasks)
        assert "k.s.1.2 can also mean partition 2 of k.s.1 in every task" in warning
    assert list(key_warnings(key, {"2": [plain]})) == []
