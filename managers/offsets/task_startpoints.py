"""The startpoints of a manager's tasks: read from the fan-out at the start, removed from it when consumed."""

import logging
from collections.abc import Collection, Mapping
from threading import RLock
from typing import Final

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from managers.startpoints.startpoint_manager import StartpointManager

_logger: Final = logging.getLogger(__name__)


class TaskStartpoints:
    """Startpoints by task and partition: those fanned out, and those set by the program. Thread-safe."""

    def __init__(self, manager: StartpointManager | None) -> None:
        """``manager`` None: there is no fan-out."""
        self._manager: Final = manager
        self._lock: Final = RLock()
        self._all: dict[str, dict[SystemStreamPartition, Startpoint]] = {}
        self._fanned_out: dict[str, dict[SystemStreamPartition, Startpoint]] = {}

    def load(self, registered: Mapping[str, Collection[SystemStreamPartition]]) -> None:
        """Start the manager, and read the fan-out of these tasks and their partitions."""
        with self._lock:
            self._all, self._fanned_out = {}, {}
            if self._manager is None:
                return
            self._manager.start()
            for task_name, partitions in registered.items():
                fan_out = self._manager.get_fan_out_for_task(task_name)
                found = {each: startpoint for each, startpoint in fan_out.items() if each in partitions}
                if found:
                    self._all[task_name] = dict(found)
                self._set_fan_out(task_name, found)
            self._stop_if_fan_out_is_empty("no task has a startpoint")

    def set(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        with self._lock:
            self._all.setdefault(task_name, {})[partition] = startpoint

    def get(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        with self._lock:
            return self._all.get(task_name, {}).get(partition)

    def consume(self, task_name: str, moved: Collection[SystemStreamPartition]) -> None:
        """Remove a task's startpoints of partitions in which it has moved on, also from the fan-out.

        What was fanned out since the start stays, for the next start. If this fails, the next call removes them.
        """
        with self._lock:
            fan_out = self._fanned_out.get(task_name, {})
            consumed = {partition: startpoint for partition, startpoint in fan_out.items() if partition in moved}
            if consumed and self._manager is not None:
                self._manager.remove_consumed_fan_out(task_name, consumed)
            for partition in moved:
                self._all.get(task_name, {}).pop(partition, None)
            self._set_fan_out(task_name, {each: one for each, one in fan_out.items() if each not in consumed})
            if consumed:
                self._stop_if_fan_out_is_empty("every startpoint of these tasks is consumed")

    def stop(self) -> None:
        if self._manager is not None and self._manager.is_running:
            self._manager.stop()

    def _set_fan_out(self, task_name: str, startpoints: dict[SystemStreamPartition, Startpoint]) -> None:
        if startpoints:
            self._fanned_out[task_name] = startpoints
        else:
            self._fanned_out.pop(task_name, None)

    def _stop_if_fan_out_is_empty(self, why: str) -> None:
        if not self._fanned_out:
            _logger.info("Stopping the startpoint manager: %s.", why)
            self.stop()
