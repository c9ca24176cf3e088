"""ExecutionContainerIdManager: the cluster's ids of a job's containers."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import SetExecutionEnvContainerIdMapping
from managers.envelopes import JOB_COORDINATOR
from managers.stored_messages import StoredMessages
from managers.stores.coordinator_store import CoordinatorStreamStore


class ExecutionContainerIdManager:
    """Reads and writes the ids of containers in the execution environment, such as YARN (Samza's class). Thread-safe.

    Samza writes them if a restarted job coordinator is to take over running containers. The caller opens and closes the
    store.
    """

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str = JOB_COORDINATOR, clock: Clock = system_clock
    ) -> None:
        """``source`` is the writer that messages name."""
        self._messages: Final = StoredMessages(store, source, clock)

    def read_execution_environment_container_id_mapping(self) -> Mapping[str, str]:
        """The cluster's id of each container, by its id in the job, read-only. Raises `NotReady`."""
        mappings = self._messages.read(SetExecutionEnvContainerIdMapping)
        return MappingProxyType({message.container_id: message.execution_container_id for message in mappings})

    def write_execution_environment_container_id_mapping(self, container_id: str, execution_container_id: str) -> None:
        """Write the cluster's id of a container.

        Raises:
            TypeError: an argument is not a string. Nothing was written.
            NotReady: the store is not open.
        """
        for text in (container_id, execution_container_id):
            if not isinstance(text, str):
                raise TypeError(f"container {container_id!r} and its id {execution_container_id!r} must be strings")
        self._messages.write(
            [
                SetExecutionEnvContainerIdMapping(
                    container_id=container_id, execution_container_id=execution_container_id
                )
            ]
        )

    def close(self) -> None:
        """Do nothing: the caller closes the store."""
