"""Which keys an order is written under, and who it is refused to."""

import pytest

from eventlog.messages import Message, SetConfig, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from managers.startpoints.startpoint_facts import StartpointFacts
from managers.startpoints.startpoint_orders import OrderRefused, chosen_keys

IN = ("kafka", "in")
READ = {("in", 0): ("a", "b"), ("in", 1): ("b",), ("in", 2): ("c",), ("gone", 0): ("a",)}


def facts(inputs: str | None = "kafka.in,kafka.new") -> StartpointFacts:
    said: list[Message] = [
        SetTaskPartitionMapping(partition=SystemStreamPartition("kafka", *part), task_names=tasks)
        for part, tasks in READ.items()
    ]
    if inputs is not None:
        said.append(SetConfig(config_key="task.inputs", config_value=inputs))
    return StartpointFacts.of(said)


def keys(partitions: tuple[int, ...] | None = None, *tasks: str, there: tuple[int, ...] = ()) -> list[str]:
    return [str(key) for key in chosen_keys(facts(), IN, partitions, tasks, there=there)]


def test_a_whole_stream_is_what_tasks_read_and_what_the_input_has() -> None:
    assert keys() == ["kafka.in.0", "kafka.in.1", "kafka.in.2"]
    assert keys(there=(0, 1, 2, 3)) == ["kafka.in.0", "kafka.in.1", "kafka.in.2", "kafka.in.3"]


def test_some_partitions_and_some_tasks() -> None:
    assert keys((2, 0)) == ["kafka.in.0", "kafka.in.2"]
    assert keys((0,), "b", "a") == ["kafka.in.0.b", "kafka.in.0.a"]


def test_a_whole_stream_for_a_task_is_what_the_task_reads_of_it() -> None:
    assert keys(None, "b", "c") == ["kafka.in.0.b", "kafka.in.1.b", "kafka.in.2.c"]
    assert keys(None, "b", there=(0, 1, 2, 3)) == ["kafka.in.0.b", "kafka.in.1.b"]


def test_every_task_that_reads_a_part_of_a_partition_reads_it() -> None:
    parts = [
        SetTaskPartitionMapping(partition=SystemStreamPartition(*IN, 0, bucket), task_names=(task,))
        for bucket, task in enumerate("ab")
    ]
    split = StartpointFacts.of(parts)
    for task in "ab":
        for partitions in (None, (0,)):
            assert list(map(str, chosen_keys(split, IN, partitions, (task,)))) == [f"kafka.in.0.{task}"]


@pytest.mark.parametrize(
    ("stream", "partitions", "tasks", "sentence"),
    [
        (("kafka", "gone"), None, (), r"does not read kafka\.gone: it reads kafka\.in, kafka\.new"),
        (("other", "in"), None, (), r"does not read other\.in"),
        (IN, (1, 3), (), r"no task reads partition 3 of kafka\.in: the last one is 2"),
        (IN, None, ("d",), r"has no task 'd': it has a, b, c"),
        (IN, (0, 1), ("a",), r"task 'a' does not read partition 1 of kafka\.in: it reads 0"),
    ],
)
def test_what_nobody_would_follow_is_refused_unless_forced(
    stream: tuple[str, str], partitions: tuple[int, ...] | None, tasks: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(OrderRefused, match=sentence):
        chosen_keys(facts(), stream, partitions, tasks)
    assert chosen_keys(facts(), stream, partitions or (7,), tasks, force=True)


def test_partitions_that_are_not_known_have_to_be_named() -> None:
    with pytest.raises(OrderRefused, match=r"no partition of kafka\.new is known to be read: name them, such as"):
        chosen_keys(facts(), ("kafka", "new"), None)
    (key,) = chosen_keys(facts(), ("kafka", "new"), (4,))
    assert str(key) == "kafka.new.4"
    with pytest.raises(OrderRefused, match="name them"):
        chosen_keys(facts(), ("other", "in"), None, force=True)
