"""Many HTTP clients, which ask for one path after the other on connections that they keep.

A program of its own, so that its CPU time is not that of what it measures: it reads a `Load` from standard input and
writes the `Answers` of each kind to standard output, both as JSON.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Thread
from time import monotonic
from typing import Final

_SILENCE_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Load:
    """How many clients ask for how long, and what they ask for by turns: a kind, a port of 127.0.0.1, and a path.

    Each client begins at another place.
    """

    clients: int
    seconds: float
    targets: Sequence[tuple[str, int, str]]


@dataclass
class Answers:
    """The answers of a kind: the seconds that each with status 200 took, and how often something else came."""

    seconds: list[float] = field(default_factory=list)
    bytes: int = 0
    errors: dict[str, int] = field(default_factory=dict)


def ask(load: Load) -> Mapping[str, Answers]:
    """Ask with all clients at once until the time is over and each has its last answer."""
    found = {kind: Answers() for kind, _, _ in load.targets}
    ends_at = monotonic() + load.seconds
    places = (number * len(load.targets) // load.clients for number in range(load.clients))
    clients = [Thread(target=_ask_by_turns, args=(load, place, ends_at, found)) for place in places]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return found


def _ask_by_turns(load: Load, place: int, ends_at: float, found: Mapping[str, Answers]) -> None:
    connections = {port: HTTPConnection("127.0.0.1", port, timeout=_SILENCE_SECONDS) for _, port, _ in load.targets}
    while monotonic() < ends_at:
        kind, port, path = load.targets[place % len(load.targets)]
        _ask(connections[port], path, found[kind])
        place += 1
    for connection in connections.values():
        connection.close()


def _ask(connection: HTTPConnection, path: str, answers: Answers) -> None:
    sent_at = monotonic()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        size = len(answer.read())
    except (HTTPException, OSError) as error:
        connection.close()  # the next request opens it again
        _count_error(answers, type(error).__name__)
        return
    if answer.status == 200:
        answers.seconds.append(monotonic() - sent_at)
        answers.bytes += size
    else:
        _count_error(answers, str(answer.status))


def _count_error(answers: Answers, reason: str) -> None:
    answers.errors[reason] = answers.errors.get(reason, 0) + 1


if __name__ == "__main__":
    given = json.load(sys.stdin)
    answered = ask(Load(given["clients"], given["seconds"], given["targets"]))
    json.dump({kind: asdict(answers) for kind, answers in answered.items()}, sys.stdout)
