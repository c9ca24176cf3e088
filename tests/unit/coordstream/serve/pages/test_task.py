from datetime import UTC, datetime, timedelta

from coordstream.serve.pages.task import HEIGHT, MOST_POINTS, WIDTH, Span, draw_line, draw_rates

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
    assert draw_rates([START], Span(START, START)).total == 1


def test_commits_are_counted_per_minute() -> None:
    rates = draw_rates([minute(1), minute(1.5), minute(2.5)], HOUR)
    assert (rates.minutes, rates.high, rates.total) == (1, 2, 3)
    assert [height for *_, height in rates.bars] == [96, 48]
    assert all(y + height == HEIGHT for _, y, _, height in rates.bars)


def test_a_long_time_has_bars_of_several_minutes() -> None:
    day = Span(START, START + timedelta(days=1))
    rates = draw_rates([START + timedelta(minutes=number) for number in range(1_440)], day)
    assert (rates.minutes, rates.high, len(rates.bars)) == (15, 1, 96)
    year = Span(START, START + timedelta(days=365))
    assert draw_rates([START], year).minutes == 4 * 1_440
