"""Where a job's containers run (LocalityManager of Samza, seed 001)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import SetContainerHostMapping
from managers.signature import CONTAINER
from managers.signed_messages import SignedMessages
from managers.stores.coordinator_store import CoordinatorStreamStore


@dataclass(frozen=True, slots=True)
class ContainerLocality:
    """The host where a container ran last, and where its JMX server listens (None: the message does not say)."""

    container_id: str
    host_name: str
    jmx_url: str | None = None
    jmx_tunneling_url: str | None = None

    @property
    def preferred_host(self) -> str | None:
        """The host to ask for at the next start; None: any, as where the host's name is empty."""
        return self.host_name or None


class LocalityManager:
    """Reads and writes the hosts of containers, over a store that is its owner's to open and close.

    Each write is acknowledged by the log before the call returns. Safe for threads.
    """

    def __init__(self, store: CoordinatorStreamStore, *, source: str = CONTAINER, clock: Clock = system_clock) -> None:
        """``source`` is told as the writer."""
        self._messages: Final = SignedMessages(store, source, clock)

    def read_locality(self) -> Mapping[str, ContainerLocality]:
        """Each container that a host is known of, by its id; can't be changed. Raises `NotReady`."""
        hosts = self._messages.read(SetContainerHostMapping)
        return MappingProxyType({message.container_id: _locality(message) for message in hosts})

    def write_container_to_host_mapping(
        self, container_id: str, host_name: str, *, jmx_url: str = "", jmx_tunneling_url: str = ""
    ) -> None:
        """Say where a container runs.

        Raises:
            TypeError: one of these is no text; nothing was written.
            NotReady: the store is not open.
        """
        fields = {
            "container_id": container_id,
            "host_name": host_name,
            "jmx_url": jmx_url,
            "jmx_tunneling_url": jmx_tunneling_url,
        }
        for what, text in fields.items():
            if not isinstance(text, str):
                raise TypeError(
                    f"{what} must be a string, not {text!r}: nothing was written of container {container_id!r}"
                )
        said = SetContainerHostMapping(
            container_id=container_id, host_name=host_name, jmx_url=jmx_url, jmx_tunneling_url=jmx_tunneling_url
        )
        self._messages.write([said])

    def close(self) -> None:
        """Do nothing: the store is closed by its owner."""


def _locality(message: SetContainerHostMapping) -> ContainerLocality:
    return ContainerLocality(message.container_id, message.host_name, message.jmx_url, message.jmx_tunneling_url)
