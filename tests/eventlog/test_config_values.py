"""Booleans and integers in a job's config."""

import pytest

from eventlog.config_values import boolean, integer
from eventlog.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"), [("true", True), ("TRUE", True), ("True", True), ("false", False), ("1", False), ("", False)]
)
def test_only_true_in_any_case_is_true(text: str, expected: bool) -> None:
    assert boolean({"key": text}, "key", default=not expected) is expected


@pytest.mark.parametrize("default", [True, False])
def test_white_space_is_part_of_a_boolean(default: bool) -> None:
    assert boolean({"key": "true "}, "key", default) is False
    assert boolean({"other": "true "}, "key", default) is default


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("-1", -1), ("+2", 2), ("007", 7)])
def test_an_integer(text: str, expected: int) -> None:
    assert integer({"key": text}, "key", 1) == expected
    assert integer({"other": text}, "key", 1) == 1


@pytest.mark.parametrize("text", ["", " 7", "7 ", "7.0", "1_000", "٧", "many"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=rf"^key is {text!r}, not an integer\.$"):
        integer({"key": text}, "key", 1)


@pytest.mark.parametrize("text", ["-1", "-007", "few"])
def test_an_integer_may_have_a_minimum(text: str) -> None:
    assert integer({"key": "0"}, "key", 1, minimum=0) == 0
    with pytest.raises(ConfigError, match=rf"^key is '{text}', not an integer from 0\.$"):
        integer({"key": text}, "key", 1, minimum=0)
