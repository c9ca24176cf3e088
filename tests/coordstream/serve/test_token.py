import base64
from pathlib import Path

import pytest

from coordstream.errors import CoordstreamError
from coordstream.serve.token import Token, read_token

SECRET = "0123456789abcdef"


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "header", [f"Bearer {SECRET}", f"bearer  {SECRET}", basic(f":{SECRET}"), basic(f"anyone:{SECRET}")]
)
def test_the_token_is_accepted(header: str) -> None:
    assert Token(SECRET).is_in(header)


@pytest.mark.parametrize(
    "header",
    [
        "",
        SECRET,
        "Bearer",
        "Bearer ",
        f"Bearer {SECRET}x",
        f"Bearer {SECRET[:-1]}",
        f"Token {SECRET}",
        basic(SECRET),
        basic(f"{SECRET}:"),
        f"Basic {SECRET}",
        "Basic \N{SNOWMAN}",
        "Bearer \xff",
    ],
)
def test_everything_else_is_rejected(header: str) -> None:
    assert not Token(SECRET).is_in(header)


def test_a_token_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{SECRET}\n")
    token = read_token(tmp_path / "token", "--metrics-token-file")
    assert token.is_in(f"Bearer {SECRET}")
    assert SECRET not in repr(vars(token))


@pytest.mark.parametrize(
    "text", ["", "\n", "short", "with spaces in the token", "schlüssel-schlüssel", "a" * 20 + "\x00"]
)
def test_an_unusable_token_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text)
    with pytest.raises(CoordstreamError) as refused:
        read_token(tmp_path / "token", "--metrics-token-file")
    assert not text.strip() or text.strip() not in str(refused.value)


def test_a_missing_token_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        CoordstreamError, match=r"Cannot read the token file .*: no such file or directory\. Correct --metrics"
    ):
        read_token(tmp_path / "token", "--metrics-token-file")
