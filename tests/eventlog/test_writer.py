"""Who writes events."""

import socket
from functools import cache

import pytest

from eventlog import writer
from eventlog.writer import HOST_HEADER, USERNAME_HEADER, writer_of, written_event


def test_an_unknown_host_is_left_out_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unknown(_name: str) -> str:
        raise socket.gaierror

    monkeypatch.setattr(socket, "gethostbyname", unknown)
    for function in ("host_address", "_own_headers"):
        monkeypatch.setattr(writer, function, cache(getattr(writer, function).__wrapped__))
    for event in (written_event("samza-startpoint-v1", b"k", b"{}"), written_event("set-config", b"k", None)):
        assert [name for name, _ in event.headers] == [USERNAME_HEADER]
    assert written_event("set-config", b"k", b"{}").headers == ()
    assert [record.message.partition(".")[0] for record in caplog.records] == ["The address of this host is unknown"]


@pytest.mark.parametrize("value", [None, b"", b"\xff", b"a\0b"])
def test_a_header_that_is_no_text_names_nobody(value: bytes | None) -> None:
    assert writer_of(((HOST_HEADER, value), (USERNAME_HEADER, b"root"))) == (None, "root")
