"""A replay from memory by several processes, each of which has the events of its streams.

`import_streams` would fork workers that share the events of this process. Reading a shared object counts its
references, and so copies its page of memory: 0.9 µs of CPU an event, which no import of recordings takes.
"""

import gc
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from multiprocessing.synchronize import Barrier
from typing import Any, Final

from benchmarks.replay import Replay, Streams, replay
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import connect
from projections.recording_import import finish_imports

_PATIENCE_SECONDS: Final = 600


def replay_by_processes(url: str, streams: Streams, processes: int) -> Replay:
    """Import the streams in at most ``processes`` processes, which begin together when all have their events.

    Raises:
        EOFError, BrokenBarrierError: a process failed.
    """
    context = get_context("fork")
    shares = shares_of(streams, processes)
    barrier = context.Barrier(len(shares) + 1, timeout=_PATIENCE_SECONDS)
    workers, pipes = [], []
    for share in shares:
        ours, its = context.Pipe()
        workers.append(context.Process(target=_replay_share, args=(its, barrier, url, share), daemon=True))
        workers[-1].start()
        its.close()  # otherwise the end of the process would not close the pipe
        pipes.append(ours)
    with connect(url) as connection:
        barrier.wait()
        started, client_before = time.perf_counter(), time.process_time()
        replays: list[Replay] = [pipe.recv() for pipe in pipes]
        finish_imports(connection, sum(one.events for one in replays))
        seconds, client = time.perf_counter() - started, time.process_time() - client_before
    for worker, pipe in zip(workers, pipes, strict=True):
        worker.join()
        pipe.close()
    return _together(replays, seconds, client)


def shares_of(streams: Streams, processes: int) -> list[Streams]:
    """Distribute the streams: each, the largest first, goes to the process that has the fewest events."""
    shares: list[dict[str, Sequence[RecordedEvent]]] = [{} for _ in range(min(processes, len(streams)))]
    for name, events in sorted(streams.items(), key=lambda stream: len(stream[1]), reverse=True):
        min(shares, key=lambda share: sum(map(len, share.values())))[name] = events
    return list(shares)


def _replay_share(pipe: "Pipe[Any, Any]", barrier: Barrier, url: str, streams: Streams) -> None:
    copied = {name: [RecordedEvent(*event) for event in events] for name, events in streams.items()}
    gc.freeze()
    barrier.wait()
    pipe.send(replay(url, {name: partial(iter, events) for name, events in copied.items()}, finishes=False))


def _together(replays: Sequence[Replay], seconds: float, client_seconds: float) -> Replay:
    server = [one.server_seconds for one in replays if one.server_seconds is not None]
    return Replay(
        events=sum(one.events for one in replays),
        quarantined=sum(one.quarantined for one in replays),
        seconds=seconds,
        client_seconds=client_seconds + sum(one.client_seconds for one in replays),
        server_seconds=sum(server) if len(server) == len(replays) else None,
    )
