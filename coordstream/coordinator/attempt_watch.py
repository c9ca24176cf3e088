"""AttemptWatch: notices that another program has written assignments or metadata of a job that is coordinated here."""

from collections.abc import Mapping
from typing import Final

from eventlog.messages import (
    SetChangelogMapping,
    SetJobCoordinatorMetadata,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from managers.coordinator.job_coordinator import JobCoordinator
from managers.coordinator.serving_context import JobAttempt
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.namespaced_key import NamespacedKey

_KINDS: Final = (
    SetChangelogMapping,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
    SetJobCoordinatorMetadata,
)


class AttemptWatch:
    """Compares the stream with the current attempt when what it has of that kind has changed. Not thread-safe."""

    def __init__(self, store: CoordinatorStreamStore, coordinator: JobCoordinator) -> None:
        self._store: Final = store
        self._coordinator: Final = coordinator
        self._attempt: JobAttempt | None = None
        self._position = 0
        self._seen: list[Mapping[NamespacedKey, bytes]] = []

    def is_intact(self, attempt: JobAttempt) -> bool:
        """Whether the stream has what this attempt wrote, as far as the store has read it. Says no once for a change.

        Raises what the log raises, and `UnknownTaskMode`.
        """
        position = self._store.position  # before the values are read: another thread may read on meanwhile
        if attempt is self._attempt and self._position == position:
            return True
        found = [self._store.all(kind.message_type) for kind in _KINDS]
        is_intact = (attempt is self._attempt and found == self._seen) or self._coordinator.is_intact(attempt)
        self._attempt, self._seen, self._position = attempt, found, position
        return is_intact

    def forget(self) -> None:
        """Compare again at the next call."""
        self._attempt = None
