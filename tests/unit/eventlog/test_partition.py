"""Partitions as text, and the readings of a startpoint's key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, natural_order, startpoint_key_readings


@pytest.mark.parametrize(
    "names",
    [
        ["Partition 2", "Partition 10"],
        ["kafka.in-2.0", "kafka.in-10.0", "kafka.in.9", "kafka.in.10"],
        ["01", "1", "2", "a", "a1"],
        ["", "0", "00", "7"],
        ["Partition 1", "Partition ²", "Partition ٣"],
        ["task " + "9" * 5_000, "task 1" + "0" * 5_000],
    ],
)
def test_numbers_are_compared_by_their_value(names: list[str]) -> None:
    backwards = names[::-1]
    assert sorted(backwards, key=natural_order) == names


TEXT = st.text(max_size=12)
SYSTEM = TEXT.filter(lambda text: "." not in text)
PARTITION = st.builds(SystemStreamPartition, SYSTEM, TEXT, st.integers(-(2**31), 2**31 - 1))


@given(PARTITION)
def test_a_partition_comes_back_from_its_text(partition: SystemStreamPartition) -> None:
    assert SystemStreamPartition.parse(str(partition)) == partition


@given(PARTITION, st.none() | TEXT.filter(bool))
def test_what_a_key_was_written_for_is_among_its_readings(partition: SystemStreamPartition, task: str | None) -> None:
    key = StartpointKey(partition, None if task is None else TaskName(task))
    assert key in startpoint_key_readings(str(key))


@pytest.mark.parametrize("text", ["", "k", "k.5", "k.s.x", "k.s.", "k.s.1_0", "k.s. 1", "k.s.2147483648", "k.s.--1"])
def test_other_text_is_not_a_partition(text: str) -> None:
    with pytest.raises(WireError, match="bad_partition: "):
        SystemStreamPartition.parse(text)


def test_a_number_of_more_digits_than_python_reads_is_refused() -> None:
    with pytest.raises(WireError, match="too large"):
        SystemStreamPartition.parse("k.s." + "9" * 5000)
    assert startpoint_key_readings("k.s." + "9" * 5000) == ()


def test_java_s_signs_are_read() -> None:
    assert SystemStreamPartition.parse("k.s.+7").partition == 7
    assert SystemStreamPartition.parse("k.s.-2147483648").partition == -(2**31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k.s.2", [("s", 2, None)]),
        ("k.s.2.t", [("s", 2, "t")]),
        ("k.s.1.2", [("s.1", 2, None), ("s", 1, "2")]),
        ("k.in.dotted.1.1.Partition 1", [("in.dotted.1", 1, "Partition 1"), ("in.dotted", 1, "1.Partition 1")]),
        ("k.s.1.", []),
        ("k.s.-1", [("s", -1, None)]),
        ("k.s.01", []),
        ("k.s.+1.t", []),
        ("k.s.-0", []),
        ("k.s.\u0661", []),
        ("k.s.01.2", [("s.01", 2, None)]),
        ("k.2", []),
        ("nothing", []),
    ],
)
def test_readings_of_a_startpoint_key(text: str, expected: list[tuple[str, int, str | None]]) -> None:
    found = [(one.partition.stream, one.partition.partition, one.task_name) for one in startpoint_key_readings(text)]
    assert found == expected
