"""A service in a thread of the test's process, on a free port."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from pydantic import SecretStr

from coordstream.serve.service import ServiceLimits, open_service
from coordstream.settings import Settings
from coordstream.web_server import Address

LOOPBACK = Address("127.0.0.1", 0)
EVERYWHERE = Address("0.0.0.0", 0)  # noqa: S104 (what is tested)

LIMITS = ServiceLimits()


@dataclass
class Served:
    """A running service: its client, and the lines that it logged."""

    client: httpx.Client
    port: int
    lines: list[str] = field(default_factory=list)


@contextmanager
def serving(
    database_url: str,
    address: Address = LOOPBACK,
    token_file: Path | None = None,
    limits: ServiceLimits = LIMITS,
    base_path: str = "",
) -> Iterator[Served]:
    """The service of a database."""
    settings = Settings(database_url=SecretStr(database_url))
    lines: list[str] = []
    with open_service(settings, database_url, address, token_file, limits, lines.append, base_path) as server:
        port = server.address.port
        with server.in_thread(), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield Served(client, port, lines)
