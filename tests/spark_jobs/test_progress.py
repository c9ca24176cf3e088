import io
import re

import pytest

from eventlog.postgres.connection import connect
from spark_jobs.dispatch import Progress, shown_progress
from spark_jobs.log_task import new_channel
from tests.fixtures.waiting import wait_until


def test_progress_names_logs_events_rate_and_time_left() -> None:
    progress = Progress(1_000, 20_000, "events")
    assert progress.describe(0) == "0 of 1,000 logs, 0 of 20,000 events, 0 events/s"
    progress.take("[0, 40, 1000]")
    progress.take("[3, 60, 4000]")
    assert progress.describe(10) == "100 of 1,000 logs, 5,000 of 20,000 events, 500 events/s, 30 seconds left"


def test_a_repeated_task_does_not_count_twice() -> None:
    progress = Progress(10, 100, "events")
    for payload in ("[0, 5, 50]", "[0, 1, 10]", "[0, 2, 20]", "no json", "{}"):
        progress.take(payload)
    assert progress.describe(1).startswith("5 of 10 logs, 50 of 100 events")


def test_notifications_are_shown(database_url: str) -> None:
    out, channel = io.StringIO(), new_channel()
    with (
        connect(database_url) as connection,
        shown_progress(database_url, channel, Progress(10, 100, "events"), out=out, every=0.01),
    ):

        def is_shown() -> bool:
            connection.execute("select pg_notify(%s, '[0, 5, 50]')", (channel,))
            return "5 of 10 logs" in out.getvalue()

        wait_until(is_shown, what="the progress")
    assert re.search(r"5 of 10 logs, 50 of 100 events, [\d,]+ events/s, .* left\n", out.getvalue())


@pytest.mark.parametrize("url", ["postgresql://u@127.0.0.1:1/d"])
def test_without_a_connection_nothing_is_shown(url: str) -> None:
    out = io.StringIO()
    with shown_progress(url, new_channel(), Progress(1, 1, "events"), out=out):
        pass
    assert out.getvalue() == ""
