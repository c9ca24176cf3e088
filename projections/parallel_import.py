"""Import of several streams at once, each by a process of its own, so that all cores are at work."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Final

from eventlog.log import system_clock
from eventlog.streams import StreamIdentity
from projections.errors import WorkerEnded
from projections.fold.settings import FoldSettings
from projections.import_worker import ImportJob, ImportOrder, work
from projections.projector import BATCH_EVENTS, Clock
from projections.recording_import import Imported

Context = SpawnContext | ForkContext
OnStreamProgress = Callable[[StreamIdentity, int], None]

_SECONDS_TO_END: Final = 10.0


def import_streams(
    database_url: str,
    jobs: Sequence[ImportJob],
    settings: FoldSettings,
    processes: int,
    *,
    context: Context | None = None,
    clock: Clock = system_clock,
    batch_events: int = BATCH_EVENTS,
    on_progress: OnStreamProgress = lambda _stream, _events: None,
) -> list[Imported]:
    """Import streams in so many processes at most, the largest first; the answers stand in the order of the jobs.

    At the first error, and on Ctrl-C, no stream is begun any more and the others' batches under way are undone; what
    was committed stays, and importing again goes on there. If this process is killed, its workers end by themselves.

    Jobs and clock go to the workers as pickles, unless ``context`` forks (by default it spawns): a function of a module
    does, a lambda does not. Secrets go the same way, never in a command line.

    Raises:
        WorkerEnded: a worker was killed.
        StreamBusy: another process is importing one of the streams.
        FoldVersionDiffers: one of the streams was folded with other settings before.
    """
    order = ImportOrder(database_url, tuple(jobs), settings, clock, batch_events)
    left = sorted(range(len(jobs)), key=lambda number: jobs[number].events)
    imported: dict[int, Imported] = {}
    with _workers(context or get_context("spawn"), order, min(processes, len(jobs))) as workers:
        busy: dict[Any, _Worker] = {worker.pipe: worker for worker in workers}
        for worker in workers:
            worker.take(left.pop())
        while busy:
            for pipe in wait(busy):
                worker = busy[pipe]
                answer = worker.answer()
                if isinstance(answer, int):
                    on_progress(jobs[worker.number].stream, answer)
                    continue
                imported[worker.number] = answer
                if left:
                    worker.take(left.pop())
                else:
                    worker.dismiss()
                    del busy[pipe]
    return [imported[number] for number in range(len(jobs))]


@dataclass
class _Worker:
    """A process, our end of its pipe, and the number of the job that it is at."""

    process: BaseProcess
    pipe: "Pipe[Any, Any]"
    order: ImportOrder
    number: int = -1

    def take(self, number: int) -> None:
        self.number = number
        with self._its_end_is_told():
            self.pipe.send(number)

    def answer(self) -> int | Imported:
        with self._its_end_is_told():
            answer: int | Imported | Exception = self.pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def dismiss(self) -> None:
        with suppress(OSError):  # it has ended, with all its work done
            self.pipe.send(None)

    def end(self) -> None:
        self.process.join(_SECONDS_TO_END)
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()

    @contextmanager
    def _its_end_is_told(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError):
            self.process.join(_SECONDS_TO_END)
            raise WorkerEnded(self.order.jobs[self.number].stream.stream_name, self.process.exitcode) from None


@contextmanager
def _workers(context: Context, order: ImportOrder, count: int) -> Iterator[list[_Worker]]:
    workers: list[_Worker] = []
    try:
        with _interrupts_kept_from_children():
            workers.extend(_started(context, order) for _ in range(count))
        yield workers
    except BaseException:
        for worker in workers:
            worker.process.terminate()
        raise
    finally:
        for worker in workers:
            worker.end()


def _started(context: Context, order: ImportOrder) -> _Worker:
    ours, its = context.Pipe()
    process = context.Process(target=work, args=(its, order), daemon=True)
    process.start()
    its.close()  # else its end would not be noticed
    return _Worker(process, ours, order)


@contextmanager
def _interrupts_kept_from_children() -> Iterator[None]:
    """A terminal's Ctrl-C reaches all processes: those that are started meanwhile leave it to us, who then end them."""
    resource_tracker.ensure_running()  # which lets signals through again as it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
