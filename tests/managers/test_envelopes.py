"""Who writes a message."""

import pytest

from managers.stored_messages import make_envelope, mark_forced
from tests.contracts.event_log import NOW_MS, clock


@pytest.mark.scenario("MSG-20")
def test_a_source_is_never_empty() -> None:
    assert [make_envelope(source, clock=clock).source for source in (None, "", "tool")] == [
        "Unknown",
        "Unknown",
        "tool",
    ]
    assert make_envelope(clock=clock).timestamp == NOW_MS
    assert mark_forced("tool") == "tool (forced)"
