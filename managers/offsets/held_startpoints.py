"""The startpoints that tasks hold: handed to them by the job coordinator, and not used up yet."""

import logging
from collections.abc import Collection, Mapping
from threading import RLock
from typing import Final

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from managers.startpoints.startpoint_manager import StartpointManager

_logger: Final = logging.getLogger(__name__)


class HeldStartpoints:
    """Startpoints by task and partition, of the fan-out that a manager reads, and those that are set by hand.

    The manager runs for as long as any task has one in the fan-out. Safe for threads.
    """

    def __init__(self, manager: StartpointManager | None) -> None:
        """``manager`` None: there is no fan-out."""
        self._manager: Final = manager
        self._lock: Final = RLock()
        self._all: dict[str, dict[SystemStreamPartition, Startpoint]] = {}
        self._handed: dict[str, dict[SystemStreamPartition, Startpoint]] = {}

    def load(self, registered: Mapping[str, Collection[SystemStreamPartition]]) -> None:
        """Start the manager, and take in what the fan-out has for these tasks and their partitions."""
        with self._lock:
            self._all, self._handed = {}, {}
            if self._manager is None:
                return
            self._manager.start()
            for task_name, partitions in registered.items():
                handed = self._manager.get_fan_out_for_task(task_name)
                self._hand(task_name, {each: one for each, one in handed.items() if each in partitions})
            self._stop_if_none_is_left("no task starts from a startpoint")

    def set(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        """Hold one that stands in no fan-out."""
        with self._lock:
            self._all.setdefault(task_name, {})[partition] = startpoint

    def get(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        """What a task holds for a partition."""
        with self._lock:
            return self._all.get(task_name, {}).get(partition)

    def use_up(self, task_name: str, moved: Collection[SystemStreamPartition]) -> None:
        """A task has come on in these partitions: take the startpoints that it held for them out of its fan-out.

        One that it was handed since its start stays there, for the next. What the log did not take is held still, and
        goes the next time.
        """
        with self._lock:
            left = self._handed.get(task_name, {})
            used = {partition: startpoint for partition, startpoint in left.items() if partition in moved}
            if used and self._manager is not None:
                self._manager.remove_used_fan_out(task_name, used)
            self._forget(task_name, moved)
            self._keep(task_name, {each: startpoint for each, startpoint in left.items() if each not in used})
            if used:
                self._stop_if_none_is_left("every startpoint of these tasks is used up")

    def stop(self) -> None:
        """Stop the manager."""
        if self._manager is not None and self._manager.is_running:
            self._manager.stop()

    def _hand(self, task_name: str, startpoints: dict[SystemStreamPartition, Startpoint]) -> None:
        if startpoints:
            self._all[task_name] = dict(startpoints)
        self._keep(task_name, startpoints)

    def _keep(self, task_name: str, handed: dict[SystemStreamPartition, Startpoint]) -> None:
        if handed:
            self._handed[task_name] = handed
        else:
            self._handed.pop(task_name, None)

    def _forget(self, task_name: str, moved: Collection[SystemStreamPartition]) -> None:
        held = self._all.get(task_name, {})
        for partition in moved:
            held.pop(partition, None)

    def _stop_if_none_is_left(self, why: str) -> None:
        if not self._handed:
            _logger.info("%s: the startpoint manager is stopped", why)
            self.stop()
