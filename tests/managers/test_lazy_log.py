"""A log that was given, or is opened when it is needed."""

from managers.lazy_log import LazyLog
from tests.managers.noting_log import NotingLog


def test_a_log_that_was_given_is_not_closed() -> None:
    log = NotingLog()
    held = LazyLog(log)
    assert held.open() is log
    held.close()
    assert log.calls == []


def test_a_log_that_was_opened_is_closed_once_and_opened_anew() -> None:
    opened: list[NotingLog] = []

    def open_log() -> NotingLog:
        opened.append(NotingLog())
        return opened[-1]

    held = LazyLog(open_log)
    held.close()
    assert held.open() is held.open()
    held.close()
    held.close()
    assert [log.calls for log in opened] == [["close"]]
    assert held.open() is opened[1]
