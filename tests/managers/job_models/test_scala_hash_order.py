"""The order of Scala's maps, as Scala 2.12 itself gives it."""

import pytest

from managers.job_models.java_text import text_hash
from managers.job_models.scala_hash_order import immutable_map_order, mutable_map_order


def numbered(count: int) -> list[str]:
    return [f"s{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, ""),
        (4, "s2 s1 s0 s3"),
        (12, "s5 s8 s2 s1 s4 s7 s11 s9 s0 s3 s6 s10"),
        (13, "s5 s8 s2 s12 s1 s4 s7 s11 s0 s9 s3 s6 s10"),
        (25, "s5 s8 s2 s15 s21 s24 s18 s12 s1 s4 s7 s23 s11 s14 s20 s17 s9 s0 s3 s16 s22 s6 s10 s19 s13"),
    ],
)
def test_a_mutable_map_starts_with_its_last_bucket(count: int, expected: str) -> None:
    assert " ".join(mutable_map_order(numbered(count), text_hash)) == expected


def test_of_equal_hashes_the_last_put_in_comes_first() -> None:
    assert mutable_map_order(["Aa", "BB"], text_hash) == ["BB", "Aa"]
    assert mutable_map_order(["BB", "Aa"], text_hash) == ["Aa", "BB"]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (4, "s0 s1 s2 s3"),
        (6, "s3 s4 s5 s2 s1 s0"),
        (13, "s3 s4 s12 s8 s5 s2 s9 s6 s1 s7 s0 s10 s11"),
    ],
)
def test_an_immutable_map_keeps_four_as_they_came_and_more_by_hash(count: int, expected: str) -> None:
    assert " ".join(immutable_map_order(numbered(count), text_hash)) == expected
    assert immutable_map_order(["b", "a"], text_hash) == ["b", "a"]
