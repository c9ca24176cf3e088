"""Rules that Python and SQL both apply are the same."""

import re
from typing import Final, get_args

import pytest

from eventlog.starting_offset import IgnoredReason
from eventlog.startpoint import EXPIRY_MS, StartpointSpecific, is_expired
from eventlog.timestamps import FIRST_STORABLE_MS, LAST_STORABLE_MS, MS_FROM_1970_TO_2000, storable_micros
from tests.fixtures.postgres import Connection

NOW_MS: Final = 1_700_000_000_000


@pytest.mark.parametrize("age_ms", [0, EXPIRY_MS - 1, EXPIRY_MS, EXPIRY_MS + 1])
def test_a_startpoint_expires_at_the_same_age(connection: Connection, age_ms: int) -> None:
    query = "select projection.is_expired(%s, projection.to_time(%s))"
    ours = is_expired(StartpointSpecific("1", NOW_MS - age_ms), NOW_MS)
    assert connection.execute(query, (NOW_MS - age_ms, NOW_MS)).fetchone() == (ours,)


@pytest.mark.parametrize(
    "ms",
    [
        *(first + n for first in (FIRST_STORABLE_MS, MS_FROM_1970_TO_2000, 0) for n in (-1, 0, 1)),
        *(2**63 // 1000 + n for n in (-1, 0, 1)),  # where microseconds since 1970 exceed 64 bits
        *(LAST_STORABLE_MS, LAST_STORABLE_MS + 1, 2**63 - 1, -(2**63)),
    ],
)
def test_a_time_in_ms_is_the_same_time(connection: Connection, ms: int) -> None:
    since_2000 = "extract(epoch from projection.to_time(%s) - timestamptz '2000-01-01 00:00:00+00')"
    query = f"select ({since_2000} * 1000000)::bigint"
    assert connection.execute(query.encode(), (ms,)).fetchone() == (storable_micros(ms),)


def test_the_reasons_to_ignore_a_candidate_are_those_of_the_comment(connection: Connection) -> None:
    query = (
        "select col_description(attrelid, attnum) from pg_attribute"
        " where attrelid = 'coordinator.starting_offset'::regclass and attname = 'ignored_reason'"
    )
    found = connection.execute(query).fetchone()
    assert found is not None
    assert set(re.findall(r"`([^`]+)`", found[0])) == {*get_args(IgnoredReason)} - {"unresolved"}


@pytest.mark.parametrize(
    ("input_offset", "number"),
    [
        *((str(number), number) for number in (0, 7, -7, 10**18, -(10**18), 2**63 - 1, -(2**63))),
        *(("007", 7), ("-0", 0), ("0000000000000000001", 1)),
        *((text, None) for text in (str(2**63), str(-(2**63) - 1), "00000000000000000001", "-", "")),
        *((text, None) for text in ("+7", " 7", "7 ", "1_000", "0x1f", "1e3", "7.0", "\uff17", "abc", "7\n", None)),
    ],
)
def test_an_offset_is_a_number_if_it_has_at_most_19_digits_and_bigint_has_it(
    connection: Connection, input_offset: str | None, number: int | None
) -> None:
    """bigint accepts more: signs, white space, underscores and other bases."""
    assert connection.execute("select projection.offset_number(%s)", (input_offset,)).fetchone() == (number,)
