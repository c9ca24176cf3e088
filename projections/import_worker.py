"""A worker process of a parallel import.

Its parent sends numbers of jobs over a pipe, and None at the end. The worker sends back progress (an int, the number of
events since the last one), results (`Imported`), or the exception that ended it.
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

_CANCEL_SECONDS: Final = 5.0


@dataclass(frozen=True)
class ImportJob:
    """A stream to import: ``read_events`` as in `import_stream`, and the number of its events."""

    stream: StreamIdentity
    read_events: ReadEvents
    events: int


@dataclass(frozen=True)
class WorkerTask:
    """What a worker needs to import any of the jobs. ``database_url`` contains the password."""

    database_url: str = field(repr=False)
    jobs: Sequence[ImportJob]
    settings: FoldSettings
    clock: Clock
    batch_events: int


def work(pipe: "Pipe[Any, Any]", task: WorkerTask) -> None:
    """Import the jobs that the parent names, until it sends None. SIGTERM or the parent's end stops the worker."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        number = pipe.recv()  # before anything can fail: closing a pipe with unread data loses what was sent over it
        with connect(task.database_url) as connection:
            signal.signal(signal.SIGTERM, partial(_stop, connection))
            while number is not None:
                pipe.send(_import_job(connection, task, task.jobs[number], pipe.send))
                number = pipe.recv()
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # a pickle omits the traceback
        with suppress(OSError):  # the parent has ended
            pipe.send(error)


def _import_job(
    connection: Connection, task: WorkerTask, job: ImportJob, on_progress: Callable[[int], None]
) -> Imported:
    return import_stream(
        connection,
        job.stream,
        job.read_events,
        task.settings,
        task.clock,
        batch_events=task.batch_events,
        on_progress=on_progress,
    )


def _stop(connection: Connection, _number: int, _frame: FrameType | None) -> NoReturn:
    """Exit at once, but cancel the query first: a server process that waits for a lock would keep the locks it has."""
    try:
        connection.cancel_safe(timeout=_CANCEL_SECONDS)
    finally:
        os._exit(1)


def _end_with_parent() -> None:
    """Stop when the parent has ended without a message; the current batch is rolled back."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
