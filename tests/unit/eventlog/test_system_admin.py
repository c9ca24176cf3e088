"""The offset after another, and the order of offsets, in systems whose offsets are integers."""

import pytest

from eventlog.system_admin import compare_offsets, is_kafka_offset, offset_after


@pytest.mark.parametrize(
    ("offset", "after"),
    [
        ("0", "1"),
        ("41", "42"),
        ("-1", "0"),
        ("9223372036854775807", None),
        ("", None),
        ("1-2:3", None),
        ("9" * 20, None),
    ],
)
def test_the_offset_after_one(offset: str, after: str | None) -> None:
    assert offset_after(offset) == after


def test_offsets_that_kafka_can_read_from() -> None:
    offsets = ["0", "41", "9223372036854775807", None, "", "-1", "abc", "9223372036854775808", "9" * 26]
    assert [offset for offset in offsets if is_kafka_offset(offset)] == offsets[:3]


@pytest.mark.parametrize(
    ("one", "other", "expected"), [("9", "10", -1), ("10", "9", 1), ("7", "07", 0), ("a", "1", None), ("1", "", None)]
)
def test_offsets_are_compared_as_integers(one: str, other: str, expected: int | None) -> None:
    assert compare_offsets(one, other) == expected
