"""What is told, and what is not told again."""

from projections.follow.reports import Reports


def told() -> tuple[list[str], Reports]:
    said: list[str] = []
    return said, Reports(said.append, lambda _: None)


def test_a_sentence_is_said_once_in_a_row() -> None:
    said, reports = told()
    for sentence in ("waits", "waits", "", "waits", "goes on", "waits"):
        reports.say("stream", sentence)
    assert said == ["waits", "goes on", "waits"]


def test_streams_do_not_silence_each_other() -> None:
    said, reports = told()
    reports.say("a", "missing")
    reports.say("b", "missing")
    assert said == ["missing", "missing"]


def test_an_outage_is_told_when_it_begins_and_when_it_is_over() -> None:
    said, reports = told()
    reports.end_outage()
    reports.begin_outage("the server closed the connection")
    reports.begin_outage("connection refused")
    reports.end_outage()
    reports.end_outage()
    reports.begin_outage("connection refused")
    going_on = "everything is within reach again: going on"
    assert said == ["the server closed the connection", going_on, "connection refused"]
