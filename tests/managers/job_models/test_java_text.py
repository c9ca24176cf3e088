"""Java's order and hashes of texts."""

import pytest

from managers.job_models.java_text import hash_of, text_hash, text_order


@pytest.mark.parametrize(
    ("text", "hash_code"),
    [("", 0), ("0", 48), ("11", 1568), ("hello", 99162322), ("é", 0xE9), ("\U0001f680", 0xD83D * 31 + 0xDE80)],
)
def test_a_hash_is_that_of_utf_16(text: str, hash_code: int) -> None:
    assert text_hash(text) == hash_code


def test_a_hash_has_32_bits() -> None:
    assert text_hash("polygenelubricants") == 2**31


def test_half_a_surrogate_pair_has_a_hash() -> None:
    assert text_hash("\ud83d") == 0xD83D


def test_a_hash_of_hashes_has_32_bits() -> None:
    assert hash_of((5,), 1) == 36
    assert hash_of((2**31, 2**31)) == (31 * 2**31 + 2**31) % 2**32


def test_an_astral_character_sorts_before_the_last_of_the_first_plane() -> None:
    assert sorted(["\uffee", "\U0001f680", "a"], key=text_order) == ["a", "\U0001f680", "\uffee"]
    assert sorted(["\uffee", "\U0001f680", "a"]) != ["a", "\U0001f680", "\uffee"]
