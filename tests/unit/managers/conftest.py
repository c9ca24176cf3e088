"""Logs in memory: what depends on the backend is tested with the store, the streams and the checkpoint managers."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.fixtures.managers.log_makers import LogMaker


@pytest.fixture
def logs() -> Iterator[LogMaker]:
    with ExitStack() as opened:
        yield LogMaker(opened)
