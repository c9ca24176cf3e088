"""The ASGI application of a server: its routes, behind access control, with safe answers to every error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coordstream.private_traceback import private_traceback
from coordstream.serve.access import AccessControl
from coordstream.serve.failures import NotFound, Refused, as_refused, json_response
from coordstream.serve.token import Token

Report = Callable[[str], None]
ErrorResponse = Callable[[Scope, Refused], Response]

POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_LONGEST_LOGGED_PATH: Final = 200
_SERVER_ERROR: Final = 500


def build_app(
    routes: Sequence[BaseRoute],
    token: Token | None,
    token_option: str,
    report: Report,
    error_response: ErrorResponse = json_response,
) -> Starlette:
    """An application. Handlers raise `Refused`, or any other error, which becomes an answer with status 500.

    ``report`` gets a line for each request that is refused or fails, without its query and headers.
    """
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(SafeAnswers, report=report, error_response=error_response),
            Middleware(AccessControl, token=token, token_option=token_option),
        ],
        exception_handlers={HTTPException: _raise_refused},
    )


@dataclass
class SafeAnswers:
    """Middleware: adds the headers that protect a browser, and answers errors."""

    app: ASGIApp
    report: Report
    error_response: ErrorResponse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        has_started = False

        async def send_protected(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                _protect(MutableHeaders(scope=message))
            await send(message)

        try:
            await self.app(scope, receive, send_protected)
        except Exception as error:
            refused = as_refused(error)
            self._log(scope, refused)
            if has_started:
                raise ConnectionAbortedError from None  # the server closes the connection
            await self.error_response(scope, refused)(scope, receive, send_protected)

    def _log(self, scope: Scope, refused: Refused) -> None:
        host = (scope.get("client") or ("unknown",))[0]
        path = scope["path"][:_LONGEST_LOGGED_PATH].encode("unicode_escape").decode()
        self.report(f"{host} {scope['method']} {path}: {refused.status} {refused}")
        if refused.status == _SERVER_ERROR and refused.__cause__ is not None:
            self.report(private_traceback(refused.__cause__).rstrip())


def _protect(headers: MutableHeaders) -> None:
    headers.setdefault("Cache-Control", "no-store")
    for name, value in HEADERS.items():
        headers.setdefault(name, value)


async def _raise_refused(request: Request, error: Exception) -> Response:
    """Routing found no handler for the path."""
    del error
    raise NotFound(f"Nothing at {request.url.path[:_LONGEST_LOGGED_PATH]!r}.")
