"""The order of Java's hash maps."""

import pytest

from managers.job_models.java_hash_order import buckets, buckets_of_copy, hash_order
from managers.job_models.java_text import text_hash


@pytest.mark.scenario("JCM-20")
def test_twelve_numbers_as_texts() -> None:
    """As Samza 1.8.0's map of twelve containers was seen to give them."""
    numbers = [str(number) for number in range(12)]
    assert hash_order(numbers, text_hash) == ["0", "11", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


def test_a_bucket_keeps_the_order_in_which_it_was_filled() -> None:
    assert hash_order(["11", "0"], text_hash) == ["11", "0"]
    assert hash_order(["0", "11"], text_hash) == ["0", "11"]


def test_high_bits_count_too() -> None:
    assert hash_order([0x0003_0000, 0x0001_0001, 2], lambda number: number) == [0x0001_0001, 2, 0x0003_0000]


@pytest.mark.parametrize(("size", "count"), [(0, 16), (12, 16), (13, 32), (24, 32), (25, 64), (1000, 2048)])
def test_a_map_grows_when_it_is_three_quarters_full(size: int, count: int) -> None:
    assert buckets(size) == count


@pytest.mark.parametrize(
    ("size", "count"),
    [(1, 2), (2, 4), (3, 8), (5, 8), (6, 16), (11, 16), (12, 32), (13, 32), (23, 32), (24, 64), (47, 64), (48, 128)],
)
def test_a_copy_of_a_map_has_the_fewest_buckets_that_it_fills_less_than_three_quarters(size: int, count: int) -> None:
    assert buckets_of_copy(size) == count


def test_the_order_of_a_copy() -> None:
    numbers = list(range(16, 28))
    assert hash_order([*numbers[4:], *numbers[:4]], int) == numbers
    assert hash_order([1, 16, *range(2, 12)], int) == [16, *range(1, 12)]
    assert hash_order([1, 16, *range(2, 12)], int, buckets_of_copy) == [*range(1, 12), 16]
