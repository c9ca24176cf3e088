"""The thread that writes the batches of a query on the logs of its job, and the queue before it."""

import atexit
import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from threading import Condition, Thread
from typing import Final

from eventlog.backoff import Backoff, no_jitter
from eventlog.errors import PortableError
from eventlog.source import Closing, SourceUnavailable
from managers.errors import describe_cause
from managers.steered.job_record import JobRecord
from spark_jobs.observed.batch_writer import BatchWriter
from spark_jobs.observed.progress import CommittedBatch

MOST_WAITING: Final = 100
"""How many batches wait for a log that does not answer; of more, the oldest are joined."""
STOP_SECONDS: Final = 10.0
"""How long the end of an observation waits for Spark, and then for the log."""
FIRST_PAUSE_SECONDS: Final = 1.0
"""The pause after a first failure. Pauses double, up to half a minute."""
_LONGEST_PAUSE_SECONDS: Final = 30.0
_logger: Final = logging.getLogger(__name__)

OpenRecord = Callable[[], AbstractContextManager[JobRecord]]


class BatchQueue:
    """Batches from a listener to a thread that writes them. `put` never waits."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most: Final = most
        self._batches: deque[CommittedBatch] = deque()
        self._changed: Final = Condition()
        self.is_closed = False

    def put(self, batch: CommittedBatch) -> None:
        with self._changed:
            self._batches.append(batch)
            if len(self._batches) > self._most:
                oldest = self._batches.popleft()
                self._batches[0] = self._batches[0].after(oldest)
            self._changed.notify_all()

    def next(self) -> CommittedBatch | None:
        """Wait for a batch, which stays until it is `done`; None: the queue is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._batches or self.is_closed)
            return self._batches[0] if self._batches else None

    def done(self, batch: CommittedBatch) -> None:
        with self._changed:
            if self._batches and self._batches[0] is batch:
                self._batches.popleft()

    def pause(self, seconds: float) -> None:
        """Wait before another try, or until the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_closed, seconds)

    def close(self) -> None:
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()


class BatchThread(Closing):
    """Writes the batches of a queue to the record of a job. An outage is logged once, and the record opened again."""

    def __init__(self, open_record: OpenRecord, query: str, config: Mapping[str, str]) -> None:
        self.queue: Final = BatchQueue()
        self._open_record: Final = open_record
        self._query: Final = query
        self._config: Final = config
        self._opened: Final = ExitStack()
        self._writer: BatchWriter | None = None
        self._is_failing = False
        self._thread: Final = Thread(target=self._run, name=f"observe {query}", daemon=True)

    def start(self) -> None:
        """Open the record and start the thread. Without an answer, the thread tries again. Raises `PortableError`."""
        try:
            self._open()
        except SourceUnavailable as error:
            self._report(error)
        self._thread.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Write what has come, for at most `STOP_SECONDS`."""
        atexit.unregister(self.close)
        self.queue.close()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        pauses = Backoff(no_jitter, first_seconds=FIRST_PAUSE_SECONDS, longest_seconds=_LONGEST_PAUSE_SECONDS)
        while (batch := self.queue.next()) is not None:
            is_last_try = self.queue.is_closed
            try:
                self._open().write(batch)
            except Exception as error:  # whatever it is, the query and later batches go on
                self._report(error)
                self._close_record()
                if is_last_try:
                    break
                self.queue.pause(pauses.next())
            else:
                pauses.reset()
                self._is_failing = False
                self.queue.done(batch)
        self._close_record()

    def _open(self) -> BatchWriter:
        if self._writer is None:
            record = self._opened.enter_context(self._open_record())
            self._writer = BatchWriter(record, self._query, self._config)
        return self._writer

    def _close_record(self) -> None:
        self._writer = None
        with suppress(Exception):  # a log that failed may also fail to close
            self._opened.close()

    def _report(self, error: Exception) -> None:
        if not self._is_failing:
            reason = str(error) if isinstance(error, PortableError) else describe_cause(error)
            _logger.warning("The batches of query %s wait until the log answers: %s", self._query, reason)
        self._is_failing = True
