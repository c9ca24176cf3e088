"""StartpointManager: writes, reads, fans out and removes startpoints in the store of a coordinator stream."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from eventlog.errors import EventLogError
from eventlog.partition import StartpointKey, SystemStreamPartition, startpoint_key_readings
from eventlog.startpoint import Startpoint, is_expired
from eventlog.timestamps import current_ms
from eventlog.wire.startpoints import encode_startpoint
from managers.errors import Startable
from managers.startpoints.startpoint_records import (
    FAN_OUTS,
    REQUESTS,
    Changes,
    FanOuts,
    StartpointNotWritten,
    Stored,
    TaskPartitions,
    assigned_partitions,
    fan_out_key,
    fan_out_requests,
    is_key_of,
    key_of,
    read_fan_out,
    read_request,
    remove_consumed,
    remove_partitions,
    request_key,
    without_key_bucket,
)
from managers.startpoints.startpoint_request import key_warnings
from managers.stores.coordinator_store import CoordinatorStreamStore

_logger: Final = logging.getLogger(__name__)


class StartpointManager(Startable):
    """Startpoint requests by partition, and the startpoints that were fanned out to each task (Samza's class).

    An operator writes, reads and deletes requests while the job runs. The job coordinator calls `fan_out` when it
    starts the job. A container starts its tasks from `get_fan_out_for_task`, and removes a startpoint once the task has
    committed a later position. The caller opens and closes the store. Thread-safe.
    """

    def __init__(self, store: CoordinatorStreamStore, *, clock: Callable[[], int] = current_ms) -> None:
        """``clock`` returns the time in ms since 1970, for the expiry of requests and the time of a fan-out."""
        self._store: Final = store
        self._clock: Final = clock

    @property
    def is_running(self) -> bool:
        """Whether it is started. If not, every other method raises `NotReady`."""
        return self._is_running

    def start(self) -> None:
        self._store.init()
        self._is_running = True

    def stop(self) -> None:
        """Accept no more calls. The store stays open."""
        self._is_running = False

    def write_startpoint(
        self, partition: SystemStreamPartition, startpoint: Startpoint, *, task_name: str | None = None
    ) -> None:
        """Request that the next start reads a partition from here, for every task that reads it or for one task.

        Supersedes an earlier request for the same partition and task. Logs a warning if the job might not follow it:
        the key has several meanings, or the stream a dot. Raises ValueError if a name is blank or not allowed in a key,
        or a number is out of range, TypeError, and `StartpointNotWritten`.
        """
        store, key, value = self._running(), _require_key(partition, task_name), encode_startpoint(startpoint)
        with _translate_errors(partition, task_name):
            known = assigned_partitions(store) if len(startpoint_key_readings(str(key))) > 1 else {}
            for warning in key_warnings([key], known):
                _logger.warning("%s", warning)
            store.put(request_key(partition, task_name), value)

    def read_startpoint(self, partition: SystemStreamPartition, *, task_name: str | None = None) -> Startpoint | None:
        """The requested startpoint under exactly this key; None if there is none, or if it has expired (12 hours).

        Also None, with a warning, if the key is ambiguous and the tasks' assignments in the store do not settle it.
        Such a request is never followed. Raises `StartpointUnreadable`.
        """
        store = self._running()
        name = request_key(partition, task_name)
        value = store.get(name)
        if not value or not is_key_of(name.key, partition, task_name, store):
            return None
        startpoint = read_request(name, value)
        return None if is_expired(startpoint, self._clock()) else startpoint

    def delete_startpoint(self, partition: SystemStreamPartition, *, task_name: str | None = None) -> None:
        """Delete the request under exactly this key, if there is one. Raises `StartpointNotWritten`."""
        store = self._running()
        with _translate_errors(partition, task_name):
            store.delete(request_key(partition, task_name))

    def delete_all_startpoints(self) -> None:
        store = self._running()
        store.delete_all(list(store.all(REQUESTS)))

    def fan_out(self, task_to_partitions: TaskPartitions) -> FanOuts:
        """Fan out the requests to the tasks that read the partitions, delete them, and return what was fanned out.

        Of a request for every task and one for a single task, the later wins; with equal times, the one for the task.
        An expired request, and one whose key is ambiguous with these tasks, is ignored and stays. A task keeps earlier
        startpoints of partitions that have no new request.

        Fan-outs are written before requests are deleted, all in one append unless they exceed half a megabyte. After a
        crash in between, the next fan-out has the same result. Raises `StartpointUnreadable`; nothing was written then.
        """
        store = self._running()
        assigned, now_ms = _with_partitions(task_to_partitions), self._clock()
        fanned_out: FanOuts = {}

        def change(stored: Stored) -> Changes:
            nonlocal fanned_out
            fanned_out, changes = fan_out_requests(stored, assigned, now_ms)
            return changes

        store.update(change, REQUESTS, FAN_OUTS)
        return MappingProxyType({task: MappingProxyType(dict(each)) for task, each in fanned_out.items()})

    def get_fan_out_for_task(self, task_name: str) -> Mapping[SystemStreamPartition, Startpoint]:
        """The startpoints of a task that were not removed, by partition without key bucket; they do not expire."""
        name = fan_out_key(task_name)
        value = self._running().get(name)
        return MappingProxyType(dict(read_fan_out(name, value).fan_outs) if value else {})

    def remove_fan_out_for_task(self, task_name: str) -> None:
        self._running().delete(fan_out_key(task_name))

    def remove_fan_out_for_task_ssps(self, task_name: str, partitions: Collection[SystemStreamPartition]) -> None:
        """Remove some partitions from a task's fan-out, and its record with the last of them (SAMZA-2749)."""
        store = self._running()
        removed = {without_key_bucket(partition) for partition in partitions}
        store.update(lambda stored: remove_partitions(stored, task_name, removed), FAN_OUTS)

    def remove_consumed_fan_out(self, task_name: str, consumed: Mapping[SystemStreamPartition, Startpoint]) -> None:
        """Remove exactly these startpoints from a task's fan-out; one that was fanned out since stays."""
        self._running().update(lambda stored: remove_consumed(stored, task_name, consumed), FAN_OUTS)

    def remove_all_fan_outs(self) -> None:
        """Remove the fan-outs of all tasks. Requests stay."""
        store = self._running()
        store.delete_all(list(store.all(FAN_OUTS)))

    def _running(self) -> CoordinatorStreamStore:
        self._require_running()
        return self._store


@contextmanager
def _translate_errors(partition: SystemStreamPartition, task_name: str | None) -> Iterator[None]:
    try:
        yield
    except EventLogError as error:
        raise StartpointNotWritten(partition, task_name, error) from error


def _with_partitions(task_to_partitions: TaskPartitions) -> TaskPartitions:
    """The tasks that read any partition. Raises ValueError if there is no task."""
    if not task_to_partitions:
        raise ValueError("task_to_partitions has no task: pass the tasks of the job model with their partitions")
    for task_name, partitions in task_to_partitions.items():
        if not partitions:
            _logger.warning("Task %r reads no partition: no startpoint is fanned out to it.", task_name)
    return {task_name: partitions for task_name, partitions in task_to_partitions.items() if partitions}


def _require_key(partition: SystemStreamPartition, task_name: str | None) -> StartpointKey:
    """The key of a request. Raises ValueError or TypeError if it would be read differently than intended."""
    if not isinstance(partition, SystemStreamPartition):
        raise TypeError(f"the partition of a startpoint must be a SystemStreamPartition, not {partition!r}")
    key = key_of(partition, task_name)
    is_blank = not str(partition.system).strip() or not str(partition.stream).strip()
    if is_blank or key not in startpoint_key_readings(str(key)) or partition.partition < 0:
        raise ValueError(
            f"a startpoint cannot be for {partition!r} and task {task_name!r}: expected a system without a dot and a "
            "stream, neither of them blank, a partition from 0 to 2147483647, and a task name, or None for every task"
        )
    return key
