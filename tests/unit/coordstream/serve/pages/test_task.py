from datetime import UTC, datetime, timedelta

from coordstream.serve.pages.task import MOST_POINTS, WIDTH, Span, draw_line

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOUR = Span(START, START + timedelta(hours=1))


def minute(number: float) -> datetime:
    return START + timedelta(minutes=number)


def test_a_line_goes_from_the_lowest_to_the_highest_number() -> None:
    line = draw_line("kafka.in.0", [(minute(0), 10), (minute(30), 20), (minute(60), 15)], HOUR)
    assert (line.low, line.high, line.newest) == (10, 20, 15)
    assert line.points == "0,96 500,4 1000,50"


def test_a_constant_line_is_in_the_middle() -> None:
    assert draw_line("kafka.in.0", [(minute(0), 7), (minute(60), 7)], HOUR).points == "0,50 1000,50"


def test_of_many_points_the_first_and_the_last_of_each_place_are_kept() -> None:
    points = [(minute(number / 100), number) for number in range(6_001)]
    places = draw_line("kafka.in.0", points, HOUR).points.split()
    assert len(places) <= MOST_POINTS + 2
    assert (places[0], places[-1]) == ("0,96", f"{WIDTH},4")


def test_a_span_without_length_has_one_place() -> None:
    assert draw_line("kafka.in.0", [(START, 7)], Span(START, START)).points == f"{WIDTH},50"
