import pytest
import typer

from coordstream.cli.arguments.port import parse_port


@pytest.mark.parametrize(("text", "port"), [("0", 0), ("8470", 8470), ("65535", 65_535), (0, 0)])
def test_a_port(text: str | int, port: int) -> None:
    assert parse_port(text) == port


@pytest.mark.parametrize("text", ["", "-1", "65536", "99999", "123456", "http", "٨", "8.0"])
def test_a_port_that_does_not_exist(text: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        parse_port(text)
    assert refused.value.message == f"{text!r}. Expected a port from 0 to 65535."
