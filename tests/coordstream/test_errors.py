"""What is reported of an unexpected error."""

import pytest

from coordstream.errors import CoordstreamError, describe_crash

PLANTED = "pl4" + "nted"


def test_a_crash_is_described_with_its_causes_and_without_values() -> None:
    with pytest.raises(CoordstreamError) as crash:
        _fail(PLANTED)
    described = describe_crash(crash.value)
    first, second, third = (part.splitlines() for part in described.split("This led to:"))
    assert (first[-2], second[-2]) == ("ValueError", "KeyError")
    assert third[-1] == "CoordstreamError: the sentence."
    assert "test_errors.py" in described
    assert PLANTED not in described


def _fail(planted: str) -> None:
    try:
        try:
            int(planted)
        except ValueError:
            dict[str, str]()[planted]
    except KeyError as error:
        raise CoordstreamError("the sentence.") from error
