"""Who writes a message."""

import getpass
import socket
from collections.abc import Iterator

import pytest

from managers import stored_messages
from managers.stored_messages import make_envelope, mark_forced
from tests.contracts.event_log import NOW_MS, clock


@pytest.fixture
def unasked() -> Iterator[None]:
    """A machine that was not asked yet who it is."""
    for cached in (stored_messages._host_address, stored_messages._user_name):
        cached.cache_clear()
    yield
    for cached in (stored_messages._host_address, stored_messages._user_name):
        cached.cache_clear()


@pytest.fixture
def nameless(unasked: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that knows neither its address nor its user."""

    def unknown(*_: object) -> str:
        raise OSError("unknown")

    monkeypatch.setattr(socket, "gethostbyname", unknown)
    monkeypatch.setattr(getpass, "getuser", unknown)


@pytest.mark.scenario("MSG-20")
def test_a_source_is_never_empty() -> None:
    assert [make_envelope(source, clock=clock).source for source in (None, "", "tool")] == [
        "Unknown",
        "Unknown",
        "tool",
    ]
    assert make_envelope(clock=clock).timestamp == NOW_MS
    assert mark_forced("tool") == "tool (forced)"


def test_a_machine_without_names_leaves_them_empty(nameless: None) -> None:
    assert make_envelope("tool", clock=clock) == ("tool", "", "", NOW_MS)
