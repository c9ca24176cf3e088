"""A follower's process is seen to show what is appended, and a row that is not there is no figure."""

import sys
import time
from collections.abc import Iterator
from typing import Final

import pytest

from benchmarks.follower_process import FollowerFailed, FollowerProcess, following
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.live import Pace, _listening, _require_row, _sightings, run
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from projections.projector import POSITION_CHANNEL

_NOTICE: Final = '{"stream_name": "coordinator", "next_offset": 7}'


@pytest.fixture
def follower(database_url: str) -> Iterator[FollowerProcess]:
    PostgresEventLog.create(database_url, identify(OLDEST_COORDINATOR)).close()
    with following(database_url, [OLDEST_COORDINATOR]) as started:
        started.wait_until_live([OLDEST_COORDINATOR])
        yield started


@pytest.mark.slow
def test_each_event_has_a_latency(database_url: str, follower: FollowerProcess) -> None:
    for _ in range(2):
        done = run(database_url, database_url, OLDEST_COORDINATOR, follower, Pace(500, 10))
        assert len(done.latencies) == 10
        assert min(done.latencies) > 0
    assert len(follower.backends()) == 3  # locks, events, and the source's own
    with connect(database_url) as connection, pytest.raises(LookupError):
        _require_row(connection, OLDEST_COORDINATOR, 22)


@pytest.mark.slow
def test_a_follower_that_ends_says_why(database_url: str) -> None:
    with following(database_url, ["nowhere", "--once"]) as follower, pytest.raises(FollowerFailed, match="nowhere"):
        follower.wait_until_live(["nowhere"])


def test_only_silence_ends_the_wait_for_positions(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.live.SILENCE_SECONDS", 0.2)
    ends_at = time.monotonic() + 0.5
    with _listening(database_url) as listening, connect(database_url) as notifying:
        sightings = _sightings(listening, "coordinator", sys.maxsize)
        while time.monotonic() < ends_at:
            notifying.execute("select pg_notify(%s, %s)", (POSITION_CHANNEL, _NOTICE))
            assert next(sightings).next_offset == 7
        with pytest.raises(TimeoutError, match=r"coordinator was silent for 0\.2 s at 7"):
            next(sightings)
