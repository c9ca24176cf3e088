"""Offsets of tasks as users type them, and in files."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from coordstream.cli.task_offsets import parse_offsets_of_tasks, read_offsets
from coordstream.errors import CoordstreamError
from eventlog.partition import SystemStreamPartition
from managers.errors import CheckpointFileError

LINE = "tasknames.P 0.systems.kafka.streams.in.partitions.0=42\n"
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


def test_a_file_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new.properties").write_text(LINE)
    assert read_offsets(str(tmp_path / "new.properties")) == {"P 0": {IN_0: "42"}}
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LINE.encode() + b"x")))
    with pytest.raises(CheckpointFileError, match="standard input, line 2: 'x' is not a property"):
        read_offsets("-")


def test_a_file_without_offsets_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("foo=1\n")
    with pytest.raises(CoordstreamError, match=r"^No offsets in .*other\. Use lines in"):
        read_offsets(str(tmp_path / "other"))
    with pytest.raises(CoordstreamError, match="Cannot access"):
        read_offsets(str(tmp_path / "missing"))
