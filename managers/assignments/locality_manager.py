"""LocalityManager and ExecutionContainerIdManager: the hosts of containers, and their ids at the cluster manager."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from eventlog.messages import SetContainerHostMapping, SetExecutionEnvContainerIdMapping
from eventlog.wire.jackson import dumps
from managers.job_models.jvm_order import java_map_order, text_hash, text_order
from managers.stored_messages import CONTAINER, MessageManager

_LOCALITIES: Final = "processor-localities"


@dataclass(frozen=True, slots=True)
class ContainerLocality:
    """The last host of a container, and the URLs of its JMX server (None: not in the message)."""

    container_id: str
    host_name: str
    jmx_url: str | None = None
    jmx_tunneling_url: str | None = None

    @property
    def preferred_host(self) -> str | None:
        """The host to request at the next start; None: any, also if the host's name is empty."""
        return self.host_name or None


class LocalityManager(MessageManager):
    """Reads and writes the hosts of containers (Samza's class)."""

    default_source = CONTAINER

    def read_locality(self) -> Mapping[str, ContainerLocality]:
        """The containers with a known host, by id, read-only."""
        read = self._read(SetContainerHostMapping)
        hosts = [ContainerLocality(it.container_id, it.host_name, it.jmx_url, it.jmx_tunneling_url) for it in read]
        return MappingProxyType({host.container_id: host for host in hosts})

    def write_container_to_host_mapping(
        self, container_id: str, host_name: str, *, jmx_url: str = "", jmx_tunneling_url: str = ""
    ) -> None:
        """Write the host of a container."""
        message = SetContainerHostMapping(
            container_id=container_id, host_name=host_name, jmx_url=jmx_url, jmx_tunneling_url=jmx_tunneling_url
        )
        self._write([message])


def localities_to_json(localities: Mapping[str, ContainerLocality]) -> bytes:
    """All containers, in the order of Java's map. URLs of JMX servers are empty: Samza's manager does not read them."""
    ids = java_map_order(sorted(localities, key=text_order), text_hash)
    return dumps({_LOCALITIES: {each: _fields(each, localities[each]) for each in ids}}, ascii_surrogates=True)


def locality_to_json(container_id: str, locality: ContainerLocality | None) -> bytes:
    """One container; without a known host, its host is empty."""
    return dumps(_fields(container_id, locality), ascii_surrogates=True)


def _fields(container_id: str, locality: ContainerLocality | None) -> dict[str, Any]:
    host = "" if locality is None else locality.host_name
    return {"id": container_id, "host": host, "jmx-url": "", "jmx-tunneling-url": ""}


class ExecutionContainerIdManager(MessageManager):
    """Reads and writes the ids of containers in the execution environment, such as YARN (Samza's class)."""

    def read_execution_environment_container_id_mapping(self) -> Mapping[str, str]:
        """The cluster's id of each container, by its id in the job, read-only."""
        mappings = self._read(SetExecutionEnvContainerIdMapping)
        return MappingProxyType({message.container_id: message.execution_container_id for message in mappings})

    def write_execution_environment_container_id_mapping(self, container_id: str, execution_container_id: str) -> None:
        """Write the cluster's id of a container."""
        message = SetExecutionEnvContainerIdMapping(
            container_id=container_id, execution_container_id=execution_container_id
        )
        self._write([message])
