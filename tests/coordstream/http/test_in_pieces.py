import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from coordstream.http.in_pieces import PIECE_BYTES, InPieces

BODY = "http.response.body"


def sent(*messages: Message) -> list[Message]:
    """What a server gets of an application that sends these messages."""

    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    received: list[Message] = []

    async def send(message: Message) -> None:
        received.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    asyncio.run(InPieces(application)({}, receive, send))
    return received


@pytest.mark.parametrize("size", [PIECE_BYTES + 1, 2 * PIECE_BYTES, 3 * PIECE_BYTES - 1])
@pytest.mark.parametrize("more", [False, True])
def test_a_large_body_is_sent_in_pieces(size: int, *, more: bool) -> None:
    body = bytes(number % 251 for number in range(size))
    pieces = sent({"type": BODY, "body": body, "more_body": more})
    assert b"".join(piece["body"] for piece in pieces) == body
    assert max(len(piece["body"]) for piece in pieces) == PIECE_BYTES
    assert [piece["more_body"] for piece in pieces] == [True] * (len(pieces) - 1) + [more]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "http.response.start", "status": 200, "headers": []},
        {"type": BODY, "body": b"a" * PIECE_BYTES},
        {"type": BODY},
    ],
)
def test_other_messages_stay_as_they_are(message: Message) -> None:
    assert sent(message) == [message]
