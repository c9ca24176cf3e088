"""JSON types in words."""

import pytest

from eventlog.json_type import json_type


@pytest.mark.parametrize(
    ("value", "words"),
    [({}, "an object"), ((), "an object"), ([], "a list"), ("", "a text"), (True, "a boolean"), (1, "an integer")],
)
def test_words(value: object, words: str) -> None:
    assert json_type(value) == words


def test_null_and_fractions() -> None:
    assert (json_type(None), json_type(1.5)) == ("null", "a number")
