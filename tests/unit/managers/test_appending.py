"""Events to append: their writers, and in which parts they are written."""

import socket
from functools import cache

import pytest

from eventlog.events import HOST_HEADER, USERNAME_HEADER, NewEvent, writer_of
from managers import wrapped_logs
from managers.wrapped_logs import PART_BYTES, PART_EVENTS, split_into_parts, written_event


def sizes(events: list[NewEvent]) -> list[int]:
    return [len(part) for part in split_into_parts(events)]


def test_a_part_has_a_maximum_size() -> None:
    half = NewEvent(b"k", b"x" * (PART_BYTES // 2 - 100))
    large = NewEvent(b"k", b"x" * (3 * PART_BYTES))
    assert sizes([]) == []
    assert sizes([half, half, half]) == [2, 1]
    assert sizes([half, large, half]) == [1, 1, 1]
    assert sizes([NewEvent(b"k", None)] * (PART_EVENTS + 1)) == [PART_EVENTS, 1]


def test_an_unknown_host_is_left_out_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unknown(_name: str) -> str:
        raise socket.gaierror

    monkeypatch.setattr(socket, "gethostbyname", unknown)
    for function in ("host_address", "_own_headers"):
        monkeypatch.setattr(wrapped_logs, function, cache(getattr(wrapped_logs, function).__wrapped__))
    for event in (written_event("samza-startpoint-v1", b"k", b"{}"), written_event("set-config", b"k", None)):
        assert [name for name, _ in event.headers] == [USERNAME_HEADER]
    assert written_event("set-config", b"k", b"{}").headers == ()
    assert [record.message.partition(".")[0] for record in caplog.records] == ["The address of this host is unknown"]


@pytest.mark.parametrize("value", [None, b"", b"\xff", b"a\0b"])
def test_a_header_that_is_no_text_names_nobody(value: bytes | None) -> None:
    assert writer_of(((HOST_HEADER, value), (USERNAME_HEADER, b"root"))) == (None, "root")
