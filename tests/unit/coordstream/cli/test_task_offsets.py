"""Offsets of tasks as users type them, and in files."""

import pytest
import typer

from coordstream.cli.positions import parse_offsets_of_tasks
from eventlog.partition import SystemStreamPartition

IN_0 = SystemStreamPartition("kafka", "in", 0)


@pytest.mark.parametrize(
    ("word", "task", "partition", "offset"),
    [
        ("P 0/kafka.in.0=42", "P 0", IN_0, "42"),
        ("a/b/kafka.in.0=0042", "a/b", IN_0, "0042"),
        ("t/kafka.my.topic.7=x=y", "t", SystemStreamPartition("kafka", "my.topic", 7), "x=y"),
        (
            "SystemStreamPartition [kafka, in, 0]/kafka.in.0=1",
            "SystemStreamPartition [kafka, in, 0]",
            IN_0,
            "1",
        ),
    ],
)
def test_an_assignment_has_task_partition_and_offset(
    word: str, task: str, partition: SystemStreamPartition, offset: str
) -> None:
    assert parse_offsets_of_tasks([word]) == {task: {partition: offset}}


@pytest.mark.parametrize("word", ["", "t/kafka.in.0=", "kafka.in.0=1", "t/k.in.-1=1", "t/kafka.in.99999999999=1"])
def test_invalid_assignments(word: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"^Invalid offset .*\. Expected TASK/SYSTEM"):
        parse_offsets_of_tasks(["t/kafka.in.1=1", word])


def test_assignments_are_grouped_by_task() -> None:
    words = ["t/kafka.in.0=1", "u/kafka.in.0=2", "t/kafka.in.1=3", "t/kafka.in.0=1"]
    in_1 = SystemStreamPartition("kafka", "in", 1)
    assert parse_offsets_of_tasks(words) == {"t": {IN_0: "1", in_1: "3"}, "u": {IN_0: "2"}}
    with pytest.raises(typer.BadParameter, match=r"'t/kafka\.in\.0' has two offsets"):
        parse_offsets_of_tasks(["t/kafka.in.0=1", "t/kafka.in.0=2"])
