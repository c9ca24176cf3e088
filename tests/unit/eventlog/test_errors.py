"""Errors of the event log: suggestions for unknown names, and printable text."""

import copy

import pytest

from eventlog.errors import (
    EventLogError,
    WireError,
    did_you_mean,
    known_names,
    list_names,
    printable_text,
    similar_names,
)


def test_a_wire_error_says_why_and_can_be_copied() -> None:
    error = copy.deepcopy(WireError("not_json", "not JSON at character 3"))
    assert issubclass(WireError, EventLogError)
    assert (error.reason, error.detail) == ("not_json", "not JSON at character 3")
    assert str(error) == "not_json: not JSON at character 3"


NAMES = ["wordcount-pv/1", "orders/1", "orders/2", "Partition 0", "Partition 1", "job.container.count"]


@pytest.mark.parametrize(
    ("word", "similar"),
    [
        ("ordesr/1", ["orders/1", "orders/2"]),
        ("partition 0", ["Partition 0", "Partition 1"]),
        ("job.containers.count", ["job.container.count"]),
        ("x", []),
        ("", []),
    ],
)
def test_similar_names_are_found_in_any_case_and_the_most_similar_comes_first(word: str, similar: list[str]) -> None:
    assert similar_names(word, NAMES) == similar


def test_the_suggestion_is_a_question_or_nothing() -> None:
    assert did_you_mean("ordrs/1", NAMES) == ' Did you mean "orders/1" or "orders/2"?'
    assert did_you_mean("x", NAMES) == ""
    assert did_you_mean("x", []) == ""


def test_known_names_follow_the_suggestion() -> None:
    assert known_names("jobs", "ordrs/1", NAMES[1:2]) == ' Did you mean "orders/1"? Known jobs: orders/1.'
    assert known_names("tasks", "x", []) == " Known tasks: none."


def test_long_lists_of_names_are_cut() -> None:
    assert list_names(["a\n", "b"], 2) == r"a\n, b"
    assert list_names(["a", "b", "c", "d"], 2) == "a, b and 2 more"


def test_control_characters_and_line_ends_are_escaped() -> None:
    assert printable_text("Partition 0 – ü") == "Partition 0 – ü"
    assert printable_text("a\tb\n\x1b[2J") == r"a\tb\n\x1b[2J"
