"""Errors of the event log."""

import copy

from eventlog.errors import EventLogError, WireError


def test_a_wire_error_says_why_and_can_be_copied() -> None:
    error = copy.deepcopy(WireError("not_json", "not JSON at character 3"))
    assert issubclass(WireError, EventLogError)
    assert (error.reason, error.detail) == ("not_json", "not JSON at character 3")
    assert str(error) == "not_json: not JSON at character 3"


def test_an_error_without_words_has_those_of_its_class() -> None:
    assert str(EventLogError()) == EventLogError.__doc__
