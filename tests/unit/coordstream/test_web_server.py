import pytest

from coordstream.errors import CoordstreamError
from coordstream.web_server import Address, is_loopback, listen, parse_address


@pytest.mark.parametrize(
    ("text", "address", "is_local"),
    [
        ("127.0.0.1:8470", Address("127.0.0.1", 8470), True),
        ("8470", Address("127.0.0.1", 8470), True),
        ("localhost:0", Address("localhost", 0), True),
        ("[::1]:8470", Address("::1", 8470), True),
        ("127.1.2.3:1", Address("127.1.2.3", 1), True),
        ("0.0.0.0:8470", Address("0.0.0.0", 8470), False),  # noqa: S104
        ("[::]:8470", Address("::", 8470), False),
        ("monitor.example:80", Address("monitor.example", 80), False),
    ],
)
def test_addresses(text: str, address: Address, is_local: bool) -> None:
    assert parse_address(text) == address
    assert is_loopback(address.host) is is_local


@pytest.mark.parametrize("text", ["", "nowhere", ":8470", "::1:8470", "h:-1", "http://h:1", "h:1/x", "h:1\n"])
def test_invalid_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="Expected PORT or HOST:PORT"):
        parse_address(text)


@pytest.mark.parametrize("text", ["99999", "h:65536"])
def test_a_port_that_does_not_exist(text: str) -> None:
    with pytest.raises(ValueError, match=rf"^Invalid address '{text}'\. Expected a port from 0 to 65535\.$"):
        parse_address(text)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(CoordstreamError, match=r"Cannot listen on 203\.0\.113\.1:1: "):
        listen(Address("203.0.113.1", 1), "--bind")
