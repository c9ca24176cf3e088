from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from coordstream.cli.follow import FollowerMetrics
from coordstream.serve.process import UNEXPLAINED, serving_process
from projections.follow.follow_run import Activity, StreamActivity
from projections.follow.follower import Follower
from tests.fixtures.coordstream.command_line import CommandLine, follow_process
from tests.fixtures.coordstream.serve.serving import LOOPBACK
from tests.fixtures.waiting import wait_until

TOKEN = "0123456789abcdef"
STREAM = "__samza_coordinator_orders_1"


class StatedFollower(Follower):
    """A follower of which a test says what it does."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def activity(self) -> Activity:
        return self._activity


@contextmanager
def serving(activity: Activity | None, token_file: Path | None = None) -> Iterator[httpx.Client]:
    metrics, lines = FollowerMetrics(), list[str]()
    if activity is not None:
        metrics.set_follower(StatedFollower(activity))
    with serving_process(LOOPBACK, token_file, metrics, lines.append):
        client = httpx.Client(base_url=lines[0].rpartition(" ")[2].removesuffix("/."), timeout=60)
        with client:
            yield client


@pytest.mark.parametrize("outage", ["", "the brokers do not answer"])
def test_a_follower_that_works_or_waits_is_live(outage: str) -> None:
    streams = [StreamActivity(STREAM, "live", 7, 7, 3), StreamActivity("b", "catching-up", 0, None, None)]
    with serving(Activity(59, 7, outage, streams)) as client:
        assert client.get("/healthz").status_code == 200
        lines = client.get("/metrics").text.splitlines()
    assert f"coordstream_follower_outage {float(bool(outage))}" in lines
    assert "coordstream_follower_events_total 7.0" in lines
    assert f'coordstream_follower_stream_state{{stream_name="{STREAM}",state="live"}} 1.0' in lines
    assert f'coordstream_follower_stream_lag_offsets{{stream_name="{STREAM}"}} 3.0' in lines
    assert 'coordstream_follower_stream_lag_offsets{stream_name="b"} NaN' in lines


def test_a_request_for_another_host_is_told_the_option_of_the_follower() -> None:
    with serving(None) as client:
        answer = client.get("/healthz", headers={"Host": "attacker.example"})
    assert answer.status_code == 421
    assert "Start the server with --metrics-token-file FILE." in answer.text


def test_a_follower_that_hangs_is_not() -> None:
    with serving(Activity(61, 0, "", [])) as client:
        answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (
        503,
        {"error": "The follower hangs: it has done nothing for 61 s."},
    )


def test_without_the_token_health_says_only_whether(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    with serving(Activity(61, 0, "", []), file) as client:
        answer = client.get("/healthz")
        explained = client.get("/healthz", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer.json()["error"]) == (503, UNEXPLAINED)
    assert (explained.status_code, "hangs" in explained.json()["error"]) == (503, True)


def test_before_the_database_answers_the_follower_is_live() -> None:
    with serving(None) as client:
        assert client.get("/healthz").status_code == 200
        assert "coordstream_follower" not in client.get("/metrics").text


@pytest.mark.slow
def test_follow_serves_what_it_does(cli: CommandLine) -> None:
    cli.done("log", "create", STREAM)
    cli.done("config", "set", "orders", "job.name", "orders")
    with follow_process(cli, STREAM, "--metrics-port", "0") as process:
        assert process.stderr is not None
        address = process.stderr.readline().rpartition(" on ")[2].removesuffix("/.\n")
        wait_until(
            lambda: "coordstream_follower_events_total 1.0\n" in httpx.get(f"{address}/metrics").text, what="the event"
        )
