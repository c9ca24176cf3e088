"""Which requests are answered: those for this host, with the token, and of a normal size and form."""

from collections.abc import Callable
from typing import Final, NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from coordstream.http.address import is_for_loopback
from coordstream.http.protocol import LONGEST_HEADERS
from coordstream.serve.failures import Refused
from coordstream.serve.token import Token

LONGEST_TARGET: Final = 4_096
"""Bytes of path and query."""
MOST_HEADERS: Final = 64
MOST_PARAMETERS: Final = 64
OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
"""Answered without a token, for probes: they say only whether, and without a token not why."""
_METHODS: Final = ("GET", "HEAD")
_CLOSE: Final = {"Connection": "close"}
_CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="coordstream", charset="UTF-8"'}


class AccessRefused(Refused):
    """The request is refused for what it is, not for what it asks."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message, headers)
        self.status = status


class _Request(NamedTuple):
    method: str
    path: str
    target_bytes: int
    parameters: int
    headers: Headers


class AccessControl:
    """Middleware that raises `AccessRefused`. Sets ``scope["state"]["is_authorized"]``.

    Without a token, only requests to a loopback name are answered (see `is_for_loopback`). ``token_option`` is how to
    give one, for the message.
    """

    def __init__(self, app: ASGIApp, token: Token | None, token_option: str) -> None:
        self._app = app
        self._token = token
        self._token_option = token_option

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or raise `AccessRefused`."""
        request = _request(scope)
        for check in _FORM:
            check(request)
        scope.setdefault("state", {})["is_authorized"] = self._is_authorized(request)
        await self._app(scope, receive, send)

    def _is_authorized(self, request: _Request) -> bool:
        if self._token is None:
            _check_host(request, self._token_option)
            return True
        given = request.headers.getlist("authorization")
        if len(given) == 1 and self._token.is_in(given[0]):
            return True
        if request.path in OPEN_PATHS:
            return False
        reason = "The token is wrong" if given else "A token is required"
        raise AccessRefused(401, f"{reason}. Send it as a Bearer token, or as the password of HTTP Basic.", _CHALLENGE)


def _request(scope: Scope) -> _Request:
    query = scope["query_string"]
    target_bytes = len(scope.get("raw_path", b"")) + len(query)
    parameters = query.count(b"&") + 1 if query else 0
    return _Request(scope["method"], scope["path"], target_bytes, parameters, Headers(scope=scope))


def _check_method(request: _Request) -> None:
    if request.method not in _METHODS:
        raise AccessRefused(405, "Nothing can be written over HTTP. Use GET.", {"Allow": ", ".join(_METHODS), **_CLOSE})


def _check_body(request: _Request) -> None:
    has_length = request.headers.get("content-length", "0") != "0"
    if has_length or "transfer-encoding" in request.headers:
        raise AccessRefused(413, "A request must not have a body.", _CLOSE)


def _check_target(request: _Request) -> None:
    if request.target_bytes > LONGEST_TARGET:
        raise AccessRefused(414, f"Path and query are longer than {LONGEST_TARGET} bytes.", _CLOSE)
    if request.parameters > MOST_PARAMETERS:
        raise AccessRefused(400, f"The query has more than {MOST_PARAMETERS} parameters.", _CLOSE)


def _check_headers(request: _Request) -> None:
    size = sum(len(name) + len(value) for name, value in request.headers.raw)
    if len(request.headers.raw) > MOST_HEADERS or size > LONGEST_HEADERS:
        raise AccessRefused(431, f"The headers are more than {MOST_HEADERS}, or {LONGEST_HEADERS} bytes.", _CLOSE)


def _check_host(request: _Request, token_option: str) -> None:
    if not is_for_loopback(request.headers.getlist("host")):
        raise AccessRefused(
            421,
            f"Without a token, only requests to localhost are answered. Start the server with {token_option} FILE.",
            _CLOSE,
        )


_FORM: Final[tuple[Callable[[_Request], None], ...]] = (_check_target, _check_headers, _check_method, _check_body)
