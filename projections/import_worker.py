"""A process that imports streams for another one, which says over a pipe which one comes next.

Over the pipe come numbers of jobs, and None at the end. Back go how many more events are done with (an int), what an
import did (`Imported`), or the error that ended it all.
"""

import os
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from threading import Thread
from types import FrameType
from typing import Any, Final, NoReturn

from eventlog.postgres.connection import Connection, connect
from eventlog.streams import StreamIdentity
from projections.fold.settings import FoldSettings
from projections.projector import Clock
from projections.recording_import import Imported, ReadEvents, import_stream

_SECONDS_TO_CANCEL: Final = 5.0


@dataclass(frozen=True)
class ImportJob:
    """A stream to import: ``read_events`` is what `import_stream` takes, ``events`` how many that gives."""

    stream: StreamIdentity
    read_events: ReadEvents
    events: int


@dataclass(frozen=True)
class ImportOrder:
    """All that a worker needs to know; ``database_url`` holds the password."""

    database_url: str = field(repr=False)
    jobs: Sequence[ImportJob]
    settings: FoldSettings
    clock: Clock
    batch_events: int


def work(pipe: "Pipe[Any, Any]", order: ImportOrder) -> None:
    """Import what the pipe says until it says None. SIGTERM ends it, and so does the end of the parent process."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        number = pipe.recv()  # before anything can fail: a pipe that is left unread loses what it was to say
        with connect(order.database_url) as connection:
            signal.signal(signal.SIGTERM, partial(_stop, connection))
            while number is not None:
                pipe.send(_imported(connection, order, order.jobs[number], pipe.send))
                number = pipe.recv()
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # a pickle leaves the traceback behind
        with suppress(OSError):  # nobody is there any more to be told
            pipe.send(error)


def _imported(
    connection: Connection, order: ImportOrder, job: ImportJob, on_progress: Callable[[int], None]
) -> Imported:
    return import_stream(
        connection,
        job.stream,
        job.read_events,
        order.settings,
        order.clock,
        batch_events=order.batch_events,
        on_progress=on_progress,
    )


def _stop(connection: Connection, _number: int, _frame: FrameType | None) -> NoReturn:
    """Leave at once; a server that waits for a lock would not notice, and hold ours meanwhile, were it not told."""
    try:
        connection.cancel_safe(timeout=_SECONDS_TO_CANCEL)
    finally:
        os._exit(1)


def _end_with_parent() -> None:
    """A parent that was killed says nothing: the batch under way is undone, as if it had been ours that was killed."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
