"""Orders to start reading elsewhere: written, read, handed out to tasks, and removed (StartpointManager, seed 004)."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from eventlog.errors import EventLogError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, is_expired
from managers.checkpoints.task_checkpoints import require_task_name
from managers.errors import NotReady
from managers.startpoints.startpoint_errors import StartpointNotWritten
from managers.startpoints.startpoint_fan_out import FanOuts, TaskPartitions, whole
from managers.startpoints.startpoint_hand_out import Changes, Stored, hand_out, without, without_used
from managers.startpoints.startpoint_meaning import ASSIGNMENTS, is_meant
from managers.startpoints.startpoint_records import (
    FAN_OUTS,
    REQUESTS,
    fan_out_key,
    read_fan_out,
    read_request,
    request_key,
    request_value,
)
from managers.stores.coordinator_store import CoordinatorStreamStore

_logger: Final = logging.getLogger(__name__)


class StartpointManager:
    """Startpoints in the store of a job's coordinator stream: requests by partition, and what each task was handed.

    An operator writes, reads and deletes requests while the job runs. The job's coordinator hands them out when it
    starts the job (`fan_out`); a task's container starts from what it finds (`get_fan_out_for_task`), and removes it
    when it has committed a newer position. A context manager; the store stays the caller's. Safe for threads.
    """

    def __init__(self, store: CoordinatorStreamStore, *, clock: Callable[[], int]) -> None:
        """``clock`` tells the time in ms since 1970: for the age of requests, and when they are handed out."""
        self._store: Final = store
        self._clock: Final = clock
        self._is_running = False

    def __repr__(self) -> str:
        return f"StartpointManager({self._store!r}, {'running' if self._is_running else 'not running'})"

    @property
    def is_running(self) -> bool:
        """Whether it was started and not stopped since; else every call raises `NotReady`."""
        return self._is_running

    def start(self) -> None:
        """Make the store ready, and be usable from now on."""
        self._store.init()
        self._is_running = True

    def stop(self) -> None:
        """Be usable no more; the store is left as it is."""
        self._is_running = False

    def write_startpoint(
        self, partition: SystemStreamPartition, startpoint: Startpoint, *, task_name: str | None = None
    ) -> None:
        """Ask that the next start reads a partition from here, for every task that reads it or for one alone.

        It replaces what was asked for the same partition and task, of whatever kind, and nothing else.

        Raises:
            TypeError: it is no partition, no startpoint or no text.
            ValueError: a name is blank or can't stand in a key, or the partition's number is negative.
            StartpointNotWritten: the log did not take it; its cause says why.
        """
        store = self._running()
        _require_place(partition, task_name)
        if not isinstance(startpoint, Startpoint):
            raise TypeError(f"startpoint must be one of Samza's four kinds, not {startpoint!r}")
        with _named(partition, task_name):
            store.put(request_key(partition, task_name), request_value(startpoint))

    def read_startpoint(self, partition: SystemStreamPartition, *, task_name: str | None = None) -> Startpoint | None:
        """What was asked for a partition, by this very key; None: nothing, or more than twelve hours ago.

        None, with a warning, is also the answer where the key can mean something else and the tasks' assignments in the
        store don't settle it (``k.s.1.2``: partition 2 of ``s.1``, or partition 1 of ``s`` for task ``2``): nobody
        follows such a request.

        Raises:
            StartpointUnreadable: there is an order, and it can't be understood.
        """
        store = self._running()
        _require_partition(partition)
        name = request_key(partition, task_name)
        value = store.get(name)
        if value is None or not is_meant(name.key, partition, task_name, store.messages(ASSIGNMENTS).values()):
            return None
        startpoint = read_request(name, value)
        return None if is_expired(startpoint, self._clock()) else startpoint

    def delete_startpoint(self, partition: SystemStreamPartition, *, task_name: str | None = None) -> None:
        """Take a request back, by this very key; one that is not there does no harm.

        Raises:
            StartpointNotWritten: the log did not take it; its cause says why.
        """
        store = self._running()
        _require_partition(partition)
        with _named(partition, task_name):
            store.delete(request_key(partition, task_name))

    def delete_all_startpoints(self) -> None:
        """Take all requests back; what was handed out stays."""
        store = self._running()
        store.delete_all(list(store.all(REQUESTS)))

    def fan_out(self, task_to_partitions: TaskPartitions) -> FanOuts:
        """Hand requests to the tasks that read the partitions, delete them, and give what was handed out now.

        Of a request for every task and one for the task the later counts, at the same time that for the task; the
        loser is deleted, too. One that has expired stays where it is and is not followed; so does one whose key can
        be read in two ways with these tasks. A task keeps what it was handed before and has not removed, for
        partitions without a new request.

        Fan-outs are written before requests are deleted, in one piece unless there are very many; after a crash the
        next start does the same again. A request that is written meanwhile is handed out too, or stays for the next
        start.

        Raises:
            ValueError: no task is given.
            StartpointUnreadable: a request for these tasks, or what a task holds that gets a new one, can't be read;
                nothing was written.
        """
        store = self._running()
        assigned, now_ms = _assigned(task_to_partitions), self._clock()
        handed: FanOuts = {}

        def change(stored: Stored) -> Changes:
            nonlocal handed
            handed, changes = hand_out(stored, assigned, now_ms)
            return changes

        store.update(change, REQUESTS, FAN_OUTS)
        return MappingProxyType({task: MappingProxyType(dict(given)) for task, given in handed.items()})

    def get_fan_out_for_task(self, task_name: str) -> Mapping[SystemStreamPartition, Startpoint]:
        """What a task was handed and has not removed, by partition (without key buckets); it never expires.

        Raises:
            StartpointUnreadable: there is something, and it can't be understood.
        """
        store = self._running()
        require_task_name(task_name)
        name = fan_out_key(task_name)
        value = store.get(name)
        return MappingProxyType({} if value is None else dict(read_fan_out(name, value).fan_outs))

    def remove_fan_out_for_task(self, task_name: str) -> None:
        """Remove all that a task was handed."""
        store = self._running()
        require_task_name(task_name)
        store.delete(fan_out_key(task_name))

    def remove_fan_out_for_task_ssps(self, task_name: str, partitions: Collection[SystemStreamPartition]) -> None:
        """Remove what a task was handed for some partitions, and its record with the last of them (SAMZA-2749).

        Raises:
            StartpointUnreadable: there is something, and it can't be understood; nothing was written.
        """
        store = self._running()
        require_task_name(task_name)
        gone = {whole(partition) for partition in partitions}
        store.update(lambda stored: without(stored, task_name, gone), FAN_OUTS)

    def remove_used_fan_out(self, task_name: str, used: Mapping[SystemStreamPartition, Startpoint]) -> None:
        """Remove these very startpoints of a task; one that it was handed since for the same partition stays.

        Raises:
            StartpointUnreadable: there is something, and it can't be understood; nothing was written.
        """
        store = self._running()
        require_task_name(task_name)
        store.update(lambda stored: without_used(stored, task_name, used), FAN_OUTS)

    def remove_all_fan_outs(self) -> None:
        """Remove what any task was handed; requests stay."""
        store = self._running()
        store.delete_all(list(store.all(FAN_OUTS)))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _running(self) -> CoordinatorStreamStore:
        if not self._is_running:
            raise NotReady("StartpointManager", "is not running", "start it first, and stop it after the last call")
        return self._store


@contextmanager
def _named(partition: SystemStreamPartition, task_name: str | None) -> Iterator[None]:
    """Let an error of the log say which startpoint it is about."""
    try:
        yield
    except EventLogError as error:
        raise StartpointNotWritten(partition, task_name, error) from error


def _assigned(task_to_partitions: Any) -> TaskPartitions:
    """The tasks that read anything."""
    if not isinstance(task_to_partitions, Mapping):
        raise TypeError(f"task_to_partitions must map tasks to their partitions, not {task_to_partitions!r}")
    if not task_to_partitions:
        raise ValueError("task_to_partitions names no task: give the tasks of the job model with their partitions")
    for task_name, partitions in task_to_partitions.items():
        require_task_name(task_name)
        for partition in partitions:
            _require_partition(partition)
        if not partitions:
            _logger.warning("task %r reads no partition: it gets no startpoint", task_name)
    return {task_name: partitions for task_name, partitions in task_to_partitions.items() if partitions}


def _require_partition(partition: Any) -> None:
    if not isinstance(partition, SystemStreamPartition):
        raise TypeError(f"partition must be a SystemStreamPartition, not {partition!r}")


def _require_place(partition: Any, task_name: Any) -> None:
    """What a key can be made of that is read as it was meant."""
    _require_partition(partition)
    if not partition.system.strip() or not partition.stream.strip():
        raise ValueError(f"the system and the stream of {partition} must not be blank")
    if "." in partition.system:
        raise ValueError(f"the system of {partition} holds a dot, which ends the system's name in a startpoint's key")
    if partition.partition < 0:
        raise ValueError(f"the partition of {partition} must not be negative")
    if task_name is not None:
        require_task_name(task_name)
        if not task_name:
            raise ValueError(f"task_name of a startpoint for {partition} is empty: leave it out to mean every task")
