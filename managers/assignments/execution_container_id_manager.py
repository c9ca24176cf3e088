"""The cluster's ids of a job's containers (ExecutionContainerIdManager of Samza, seed 001)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import SetExecutionEnvContainerIdMapping
from managers.signature import JOB_COORDINATOR
from managers.signed_messages import SignedMessages
from managers.stores.coordinator_store import CoordinatorStreamStore


class ExecutionContainerIdManager:
    """Reads and writes which id the cluster gave to a container, over a store that is its owner's to open and close.

    Samza keeps these where a job coordinator that comes back takes over the containers that run. Safe for threads.
    """

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str = JOB_COORDINATOR, clock: Clock = system_clock
    ) -> None:
        """``source`` is told as the writer."""
        self._messages: Final = SignedMessages(store, source, clock)

    def read_execution_environment_container_id_mapping(self) -> Mapping[str, str]:
        """The cluster's id of each container, by the job's id for it; can't be changed. Raises `NotReady`."""
        said = self._messages.read(SetExecutionEnvContainerIdMapping)
        return MappingProxyType({message.container_id: message.execution_container_id for message in said})

    def write_execution_environment_container_id_mapping(self, container_id: str, execution_container_id: str) -> None:
        """Say which id the cluster gave to a container.

        Raises:
            TypeError: one of these is no text; nothing was written.
            NotReady: the store is not open.
        """
        for text in (container_id, execution_container_id):
            if not isinstance(text, str):
                raise TypeError(f"container {container_id!r} and its id {execution_container_id!r} must be texts")
        self._messages.write(
            [
                SetExecutionEnvContainerIdMapping(
                    container_id=container_id, execution_container_id=execution_container_id
                )
            ]
        )

    def close(self) -> None:
        """Do nothing: the store is closed by its owner."""
