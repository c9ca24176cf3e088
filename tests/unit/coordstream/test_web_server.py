import pytest

from coordstream.web_server import Address, is_loopback, parse_address


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
