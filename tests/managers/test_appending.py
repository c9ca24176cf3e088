"""Appending until it is acknowledged."""

import pytest

from eventlog.events import NewEvent
from eventlog.log import AppendRefused
from eventlog.memory import MemoryEventLog
from eventlog.source import SourceUnavailable
from eventlog.streams import identify
from managers.appending import AppendGaveUp, Retry, RetryingAppender
from tests.managers.fake_time import FakeTime
from tests.managers.watched_log import Opened

EVENT = NewEvent(b"k", b"v")


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog(identify("__samza_checkpoint_ver_1_for_orders_1"))


def test_one_log_serves_as_long_as_it_works(log: MemoryEventLog) -> None:
    opened = Opened(log)
    appender = RetryingAppender(opened, Retry())
    assert [appender.append([EVENT]), appender.append([EVENT])] == [range(1), range(1, 2)]
    assert len(opened.logs) == 1
    appender.close()
    assert opened.logs[0].is_closed


def test_pauses_grow_to_the_longest_and_end_with_the_time_allowed(log: MemoryEventLog) -> None:
    time = FakeTime()
    appender = RetryingAppender(Opened(log, *[1] * 99), time.retry(longest=40))
    with pytest.raises(AppendGaveUp) as gave_up:
        appender.append([EVENT])
    assert time.pauses == [2, 4, 8, 10, 10, 6]
    assert gave_up.value.tries == 7
    assert isinstance(gave_up.value.__cause__, SourceUnavailable)
    assert log.end_offset() == 0


def test_a_log_that_cannot_be_opened_is_tried_again(log: MemoryEventLog) -> None:
    time, opened = FakeTime(), Opened(log)
    down = [SourceUnavailable(), SourceUnavailable()]

    def open_log() -> object:
        if down:
            raise down.pop()
        return opened()

    appender = RetryingAppender(open_log, time.retry(longest=60))  # type: ignore[arg-type]
    assert appender.append([EVENT]) == range(1)
    assert time.pauses == [2, 4]


@pytest.mark.parametrize("error", [AppendRefused("s", "it is too large"), ValueError("no time")])
def test_what_would_fail_again_is_not_tried_again(log: MemoryEventLog, error: Exception) -> None:
    time, opened = FakeTime(), Opened(log)
    appender = RetryingAppender(opened, time.retry(longest=60))

    def refuse(*_: object, **__: object) -> range:
        raise error

    appender.open().append = refuse  # type: ignore[method-assign]
    with pytest.raises(type(error)):
        appender.append([EVENT])
    assert time.pauses == []
