"""Logs on each backend, for tests that must hold on all of them."""

import itertools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from eventlog.log import EventLog, MemoryEventLog
from eventlog.streams import StreamIdentity, StreamKind, checkpoint_stream_name, coordinator_stream_name, identify
from tests.contracts.event_log import clock

_numbers = itertools.count(1)


class LogMaker:
    """Makes logs of a test's own, and opens them again as another program would; the test's end closes all.

    Whoever opens a log in memory again has the same object.
    """

    def __init__(
        self,
        opened: ExitStack,
        create: Callable[[StreamIdentity], EventLog] = lambda stream: MemoryEventLog(stream, clock=clock),
        open_again: Callable[[EventLog], EventLog] = lambda log: log,
        job_name: str = "managed",
    ) -> None:
        self._opened: Final = opened
        self._create: Final = create
        self._open_again: Final = open_again
        self._job_name: Final = job_name

    def create(self, kind: StreamKind = "coordinator") -> EventLog:
        """An empty log of the coordinator stream or the checkpoint topic of a job not seen before."""
        name = f"{self._job_name}-{next(_numbers)}"
        stream_name = coordinator_stream_name(name) if kind == "coordinator" else checkpoint_stream_name(name)
        return self._opened.enter_context(self._create(identify(stream_name)))

    def open_again(self, log: EventLog) -> EventLog:
        return self._opened.enter_context(self._open_again(log))
