"""Sends large answers in pieces, so that a client that takes its answer slowly holds little memory."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PIECE_BYTES: Final = 65_536
_BODY: Final = "http.response.body"


class InPieces:
    """An application whose answers are sent piece by piece.

    uvicorn copies what a client has not taken yet, and waits before the next piece. /metrics of a thousand jobs are
    3 MB, which many clients share.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""

        async def send_pieces(message: Message) -> None:
            body = message.get("body", b"")
            if message["type"] == _BODY and len(body) > PIECE_BYTES:
                for start in range(0, len(body), PIECE_BYTES):
                    end = start + PIECE_BYTES
                    more = end < len(body) or message.get("more_body", False)
                    await send({"type": _BODY, "body": body[start:end], "more_body": more})
            else:
                await send(message)

        await self._app(scope, receive, send_pieces)
