from datetime import UTC, datetime

import pytest
import typer

from coordstream.cli.arguments.position import format_position, parse_position
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOON_MS = 1_769_860_800_000
HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("text", "startpoint"),
    [
        ("oldest", StartpointOldest(NOON_MS)),
        (" Upcoming", StartpointUpcoming(NOON_MS)),
        ("0", StartpointSpecific("0", NOON_MS)),
        ("2", StartpointSpecific("2", NOON_MS)),
        ("20260131", StartpointSpecific("20260131", NOON_MS)),  # a number is an offset, also where ISO 8601 has a day
        ("123456789012345678901", StartpointSpecific("123456789012345678901", NOON_MS)),
        ("offset:1769860800000", StartpointSpecific("1769860800000", NOON_MS)),
        ("offset:0,2;17", StartpointSpecific("0,2;17", NOON_MS)),
        ("offset:oldest", StartpointSpecific("oldest", NOON_MS)),
        ("2 hours ago", StartpointTimestamp(NOON_MS - 2 * HOUR_MS, NOON_MS)),
        ("2h", StartpointTimestamp(NOON_MS - 2 * HOUR_MS, NOON_MS)),
        ("2026-01-31 11:00 UTC", StartpointTimestamp(NOON_MS - HOUR_MS, NOON_MS)),
        ("2026-01-31T11:00:00.250", StartpointTimestamp(NOON_MS - HOUR_MS + 250, NOON_MS)),
    ],
)
def test_a_word_an_offset_or_a_time(text: str, startpoint: Startpoint) -> None:
    read = parse_position(text, NOON)
    assert (type(read), read) == (type(startpoint), startpoint)
    assert parse_position(format_position(read) or "", NOON) == read


@pytest.mark.parametrize(
    ("text", "time"),
    [("1769860800000", "2026-01-31T12:00:00Z"), ("1769860800", "2026-01-31T12:00:00Z")],
)
def test_an_offset_that_looks_like_a_time_is_refused(text: str, time: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"looks like a time. Use offset:{text} or {time}."):
        parse_position(text, NOON)


@pytest.mark.parametrize("text", ["", "latest", "-1", "1.5", "offset:", "noon", "12:00", "0x10", "٣"])
def test_invalid_positions(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="Use oldest, upcoming, an offset"):
        parse_position(text, NOON)


@pytest.mark.parametrize(
    "startpoint",
    [
        StartpointTimestamp(2**62, 0),
        StartpointTimestamp(None, 0),
        StartpointSpecific(None, 0),
        StartpointSpecific("", 0),
    ],
)
def test_positions_without_a_text(startpoint: Startpoint) -> None:
    assert format_position(startpoint) is None
