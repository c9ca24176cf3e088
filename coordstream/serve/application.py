"""An ASGI application that may be read with a token or on this machine only, and that answers every error safely."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coordstream.database import DatabaseUnreachable
from coordstream.errors import CoordstreamError, describe_crash
from coordstream.secret_file import read_secret
from coordstream.web_server import Address, Report, is_for_loopback, is_loopback
from eventlog.errors import PortableError
from eventlog.notice import Notice
from projections.job_choice import UnknownJob

RETRY_SECONDS: Final = 5
LEAST_TOKEN_LENGTH: Final = 16
OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
"""Answered without a token, for probes: they say only whether, and without a token not why."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="coordstream", charset="UTF-8"'}
_LONGEST_LOGGED_PATH: Final = 200


class Refused(CoordstreamError):
    """A request that is answered with an error: a parameter is invalid, unless another status of HTTP is given."""

    def __init__(self, message: str, status: int = 400, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.headers = {**({"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}), **(headers or {})}
        super().__init__(message)


ErrorResponse = Callable[[Request, Refused], Response]


def json_error(_request: Request, refused: Refused) -> Response:
    return JSONResponse({"error": str(refused)}, refused.status, refused.headers)


class Token:
    """A token. Only its digest is kept, so that no message or traceback can show it."""

    def __init__(self, text: str) -> None:
        self._digest = _digest(text.encode())

    def is_in(self, authorization: str) -> bool:
        """Whether an Authorization header has the token: as a Bearer token, or as the password of HTTP Basic."""
        scheme, _, credentials = authorization.strip().partition(" ")
        given = credentials.strip().encode() if scheme.lower() == "bearer" else b""
        if scheme.lower() == "basic":
            try:
                given = base64.b64decode(credentials, validate=True).partition(b":")[2]
            except (binascii.Error, ValueError):
                return False
        return hmac.compare_digest(_digest(given), self._digest)


def required_token(address: Address, token_file: Path | None, option: str, token_option: str) -> Token | None:
    """The token in a file; None if only programs on this machine can connect and no file is given.

    Raises `CoordstreamError`: other machines can connect and no file is given, or its token is unusable. The message
    names the options.
    """
    if token_file is not None:
        return read_token(token_file, token_option)
    if is_loopback(address.host):
        return None
    raise CoordstreamError(
        f"Refused to serve on {address} without a token: other machines can connect to it. Add {token_option} FILE, or "
        f"use {option} 127.0.0.1:PORT."
    )


def read_token(path: Path, option: str) -> Token:
    """The token in a file. Raises CoordstreamError: the file is unreadable, or its token short or not for a header."""
    try:
        text = read_secret(path)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CoordstreamError(f"Cannot read the token file '{path}': {reason}. Correct {option}.") from None
    except ValueError:
        raise CoordstreamError(f"The token file '{path}' has no text. Write a token to it.") from None
    if len(text) < LEAST_TOKEN_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise CoordstreamError(
            f"The token in '{path}' is not usable. Expected {LEAST_TOKEN_LENGTH} or more ASCII characters without "
            "spaces, for example from `openssl rand -hex 32`."
        )
    return Token(text)


def build_app(
    routes: Sequence[BaseRoute],
    token: Token | None,
    token_option: str,
    report: Report,
    error_response: ErrorResponse = json_error,
    base_path: str = "",
) -> Starlette:
    """An application whose handlers may raise any error. Requests must have the token, or name a loopback host.

    ``base_path``: that of a proxy, which all addresses in answers must begin with; empty if there is none.

    ``report`` gets a line for each request that is refused or fails, without its query and headers. ``token_option`` is
    how to give a token, for a message.
    """
    explain = partial(_explain, report=report, error_response=error_response)
    guard = Middleware(Guard, token=token, token_option=token_option, explain=explain)
    app = Starlette(
        routes=routes,
        middleware=[Middleware(BelowBasePath, base_path=base_path), guard],
        exception_handlers=dict.fromkeys((HTTPException, PortableError, Exception), explain),
    )
    app.router.redirect_slashes = False
    app.state.base_path = base_path
    return app


def _explain(request: Request, error: Exception, *, report: Report, error_response: ErrorResponse) -> Response:
    refused = _as_refused(request, error)
    host = request.client.host if request.client else "unknown"
    path = request.scope["path"][:_LONGEST_LOGGED_PATH].encode("unicode_escape").decode()
    code = "request-failed" if refused.status == 500 else "request-refused"
    sentence = "" if refused.status in {400, 404} else f" {refused}"  # it repeats what is wrong in the query
    report(Notice(f"{host} {request.method} {path}: {refused.status}{sentence}", code))
    if refused.status == 500:
        report(describe_crash(error))
    response = error_response(request, refused)
    response.headers.update(HEADERS)  # for errors that come from outside of the middleware
    return response


def _as_refused(request: Request, error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, DatabaseUnreachable | UnknownJob):
        return Refused(str(error), 404 if isinstance(error, UnknownJob) else 503)
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return Refused(f"Nothing at {request.scope['path'][:_LONGEST_LOGGED_PATH]!r}.", 404)
        return Refused("Nothing can be written over HTTP. Use GET.", error.status_code, error.headers)
    if isinstance(error, PortableError):
        return Refused(" ".join(str(error).split()), status=500)
    return Refused(f"Unexpected error {type(error).__name__}. The log of the server has its traceback.", status=500)


@dataclass
class BelowBasePath:
    """Middleware that takes the path of a proxy off that of a request, if the proxy left it there, and a last slash.

    So no request is redirected: only the proxy knows the scheme and the host of the address.
    """

    app: ASGIApp
    base_path: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == self.base_path or path.startswith(f"{self.base_path}/"):
            path = path[len(self.base_path) :]
        scope["path"] = path.rstrip("/") or "/"
        await self.app(scope, receive, send)


@dataclass
class Guard:
    """Middleware that refuses requests without the token, and adds the headers that protect a browser.

    Sets ``request.state.is_authorized``, which is false only on paths that are open to all.
    """

    app: ASGIApp
    token: Token | None
    token_option: str
    explain: Callable[[Request, Exception], Response]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self.app
        try:
            scope.setdefault("state", {})["is_authorized"] = self._is_authorized(scope["path"], Headers(scope=scope))
        except Refused as refused:
            answer = self.explain(Request(scope), refused)
        await answer(scope, receive, send_protected)

    def _is_authorized(self, path: str, headers: Headers) -> bool:
        if self.token is None:
            if is_for_loopback(headers):
                return True
            sentence = "Without a token, only requests to localhost are answered."
            raise Refused(f"{sentence} Start the server with {self.token_option} FILE.", status=421)
        given = headers.get("authorization", "")
        if self.token.is_in(given):
            return True
        if path in OPEN_PATHS:
            return False
        reason = "The token is wrong" if given else "A token is required"
        raise Refused(f"{reason}. Send it as a Bearer token, or as the password of HTTP Basic.", 401, _CHALLENGE)


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()
