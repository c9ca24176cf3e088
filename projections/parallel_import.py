"""Imports several streams in parallel, each in a worker process, to use all cores.

The parent sends numbers of jobs over a pipe, and None at the end. A worker sends back progress (an int, the number of
events since the last one), results (`LogResult`), or the exception that ended it.
"""

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Thread
from types import FrameType
from typing import Any, Final, NoReturn

from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import StreamIdentity
from projections.errors import ProjectionError
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.projector import BATCH_EVENTS, Clock
from projections.recording_import import ReadEvents, import_stream

OnStreamProgress = Callable[[StreamIdentity, int], None]

_END_SECONDS: Final = 10.0
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


def import_streams(
    database_url: str,
    jobs: Sequence[ImportJob],
    settings: FoldSettings,
    processes: int,
    *,
    clock: Clock = system_clock,
    batch_events: int = BATCH_EVENTS,
    on_progress: OnStreamProgress = lambda _stream, _events: None,
) -> list[LogResult]:
    """Import streams in at most ``processes`` processes, the largest first; return the results in the jobs' order.

    The first error, or Ctrl-C, ends the import: current batches are rolled back, committed ones stay, and another
    import continues after them. If this process is killed, its workers end.

    Jobs and clock are pickled for the workers, so they can be functions of a module but not lambdas. Secrets are
    passed the same way, never in a command line.

    Raises:
        ProjectionError: a worker was killed.
        StreamBusy: another process imports one of the streams.
        FoldVersionDiffers: other settings folded one of the streams before.
    """
    task = WorkerTask(database_url, tuple(jobs), settings, clock, batch_events)
    left = sorted(range(len(jobs)), key=lambda number: jobs[number].events)
    imported: dict[int, LogResult] = {}
    with _workers(task, min(processes, len(jobs))) as workers:
        busy: dict[Any, _Worker] = {worker.pipe: worker for worker in workers}
        for worker in workers:
            worker.assign(left.pop())
        while busy:
            for pipe in wait(busy):
                worker = busy[pipe]
                answer = worker.receive()
                if isinstance(answer, int):
                    on_progress(jobs[worker.number].stream, answer)
                    continue
                imported[worker.number] = answer
                if left:
                    worker.assign(left.pop())
                else:
                    worker.dismiss()
                    del busy[pipe]
    return [imported[number] for number in range(len(jobs))]


@dataclass
class _Worker:
    """A worker process, the parent's end of its pipe, and the number of its current job."""

    process: BaseProcess
    pipe: "Pipe[Any, Any]"
    task: WorkerTask
    number: int = -1

    def assign(self, number: int) -> None:
        self.number = number
        with self._raise_if_ended():
            self.pipe.send(number)

    def receive(self) -> int | LogResult:
        with self._raise_if_ended():
            answer: int | LogResult | Exception = self.pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def dismiss(self) -> None:
        with suppress(OSError):  # it has ended after its last job
            self.pipe.send(None)

    def end(self) -> None:
        self.process.join(_END_SECONDS)
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()

    @contextmanager
    def _raise_if_ended(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError):
            self.process.join(_END_SECONDS)
            code, name = self.process.exitcode, self.task.jobs[self.number].stream.stream_name
            how = f"was ended by signal {-code}" if code and code < 0 else "ended"
            raise ProjectionError(
                f"The process that imported {name} {how} before it was done; it may have run out of memory. Import "
                "again: the import continues where it stopped."
            ) from None


@contextmanager
def _workers(task: WorkerTask, count: int) -> Iterator[list[_Worker]]:
    workers: list[_Worker] = []
    try:
        with _block_interrupts_in_children():
            workers.extend(_start(task) for _ in range(count))
        yield workers
    except BaseException:
        for worker in workers:
            worker.process.terminate()
        raise
    finally:
        for worker in workers:
            worker.end()


def _start(task: WorkerTask) -> _Worker:
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=work, args=(its, task), daemon=True)
    process.start()
    its.close()  # otherwise the end of the process would not close the pipe
    return _Worker(process, ours, task)


@contextmanager
def _block_interrupts_in_children() -> Iterator[None]:
    """Start children with SIGINT blocked: a terminal sends Ctrl-C to all processes, but only the parent handles it."""
    resource_tracker.ensure_running()  # it unblocks signals when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def work(pipe: "Pipe[Any, Any]", task: WorkerTask) -> None:
    """Import the jobs that the parent names, until it sends None. SIGTERM or the parent's end stops the worker."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        number = pipe.recv()  # before anything can fail: closing a pipe with unread data loses what was sent over it
        with connect(task.database_url, prepares=True) as connection:
            signal.signal(signal.SIGTERM, partial(_stop, connection))
            run = partial(import_stream, batch_events=task.batch_events, on_progress=pipe.send)
            while number is not None:
                job = task.jobs[number]
                pipe.send(run(connection, job.stream, job.read_events, task.settings, task.clock))
                number = pipe.recv()
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # a pickle omits the traceback
        with suppress(OSError):  # the parent has ended
            pipe.send(error)


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
