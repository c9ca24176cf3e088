"""The token that protects a server which other machines can reach."""

import base64
import binascii
import hashlib
import hmac
from pathlib import Path
from typing import Final

from coordstream.errors import CoordstreamError
from coordstream.http.address import Address
from coordstream.secret_file import read_secret

LEAST_LENGTH: Final = 16


class Token:
    """A token. Only its digest is kept, so that no message or traceback can show it."""

    def __init__(self, text: str) -> None:
        self._digest = _digest(text.encode())

    def is_in(self, authorization: str) -> bool:
        """Whether an Authorization header has the token: as a Bearer token, or as the password of HTTP Basic."""
        scheme, _, credentials = authorization.strip().partition(" ")
        given = {"bearer": _bearer, "basic": _password}.get(scheme.lower(), _none)(credentials.strip())
        return hmac.compare_digest(_digest(given), self._digest)


def read_token(path: Path, option: str) -> Token:
    """The token in a file. ``option`` names the file, for the message.

    Raises:
        CoordstreamError: the file cannot be read, or its token is too short or cannot be sent in a header.
    """
    try:
        text = read_secret(path)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CoordstreamError(f"Cannot read the token file '{path}': {reason}. Correct {option}.") from None
    except ValueError:
        raise CoordstreamError(f"The token file '{path}' has no text. Write a token to it.") from None
    if len(text) < LEAST_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise CoordstreamError(
            f"The token in '{path}' is not usable. Expected {LEAST_LENGTH} or more ASCII characters without spaces, "
            "for example from `openssl rand -hex 32`."
        )
    return Token(text)


def required_token(address: Address, token_file: Path | None, option: str, token_option: str) -> Token | None:
    """The token; None if only programs on this machine can connect and none is given. The options are for the message.

    Raises:
        CoordstreamError: other machines can connect and no token is given, or it is invalid.
    """
    if token_file is not None:
        return read_token(token_file, token_option)
    if address.is_loopback:
        return None
    raise CoordstreamError(
        f"Refused to serve on {address} without a token: other machines can connect to it. Add {token_option} FILE, or "
        f"use {option} with an address of 127.0.0.1."
    )


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _bearer(credentials: str) -> bytes:
    return credentials.encode()


def _password(credentials: str) -> bytes:
    try:
        return base64.b64decode(credentials, validate=True).partition(b":")[2]
    except (binascii.Error, ValueError):
        return b""


def _none(_: str) -> bytes:
    return b""
