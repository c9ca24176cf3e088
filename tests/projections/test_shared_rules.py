"""Rules that Python and SQL both apply are the same."""

from typing import Final

import pytest

from eventlog.startpoint import EXPIRY_MS, StartpointSpecific, is_expired
from projections.stream_lock import SILENT_SECONDS
from tests.fixtures.postgres import Connection

NOW_MS: Final = 1_700_000_000_000


@pytest.mark.parametrize("age_ms", [0, EXPIRY_MS - 1, EXPIRY_MS, EXPIRY_MS + 1])
def test_a_startpoint_expires_at_the_same_age(connection: Connection, age_ms: int) -> None:
    query = "select projection.is_expired(%s, projection.to_time(%s))"
    ours = is_expired(StartpointSpecific("1", NOW_MS - age_ms), NOW_MS)
    assert connection.execute(query, (NOW_MS - age_ms, NOW_MS)).fetchone() == (ours,)


def test_a_follower_is_lost_after_the_time_after_which_its_session_may_be_ended(connection: Connection) -> None:
    query = "select projection.is_lost('live', now() - make_interval(secs => %s))"
    assert connection.execute(query, (SILENT_SECONDS,)).fetchone() == (False,)
    assert connection.execute(query, (SILENT_SECONDS + 0.001,)).fetchone() == (True,)
