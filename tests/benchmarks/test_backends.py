"""What other connections cost the server."""

import sys

import pytest

from benchmarks.backends import OtherBackends
from eventlog.postgres.connection import connect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the figures are those of Linux's /proc")
WORK = b"select count(*) from generate_series(1, 2000000)"


def test_what_another_connection_cost_is_known_when_it_has_ended(empty_database_url: str) -> None:
    with connect(empty_database_url) as ours:
        ours.execute(WORK)  # our own work is not counted
        backends = OtherBackends(ours)
        with connect(empty_database_url) as other:
            other.execute(WORK)
            backends.look()
        assert 0.02 < (backends.cpu_seconds() or 0) < 20
