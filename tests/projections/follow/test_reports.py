"""What a follower reports, and what it does not repeat."""

from projections.follow.follow_run import Reports


def reported() -> tuple[list[str], Reports]:
    messages: list[str] = []
    return messages, Reports(messages.append, lambda _: None)


def test_a_message_is_not_repeated() -> None:
    messages, reports = reported()
    for message in ("waits", "waits", "", "waits", "continues", "waits"):
        reports.say_of("stream", message)
    assert messages == ["waits", "continues", "waits"]


def test_each_stream_has_its_own_last_message() -> None:
    messages, reports = reported()
    reports.say_of("a", "missing")
    reports.say_of("b", "missing")
    assert messages == ["missing", "missing"]


def test_the_begin_and_the_end_of_an_outage_are_reported() -> None:
    messages, reports = reported()
    reports.end_outage()
    reports.begin_outage("the server closed the connection")
    reports.begin_outage("connection refused")
    reports.end_outage()
    reports.end_outage()
    reports.begin_outage("connection refused")
    restored = "Connections are restored: following continues."
    assert messages == ["the server closed the connection", restored, "connection refused"]
