"""Typed access to a store: reads the messages of a class, and writes messages with an envelope."""

from collections.abc import Iterable
from typing import ClassVar, Final, Protocol, TypeVar

from eventlog.log import Clock
from eventlog.messages import Envelope, Message
from managers.envelopes import make_envelope
from managers.stores.coordinator_store import CoordinatorStreamStore


class TypedMessage(Protocol):
    """A message class of one message type."""

    message_type: ClassVar[str]


Typed = TypeVar("Typed", bound=TypedMessage)


class StoredMessages:
    """A manager's messages in its store, written as ``source``."""

    def __init__(self, store: CoordinatorStreamStore, source: str, clock: Clock) -> None:
        self._store: Final = store
        self._source: Final = source
        self._clock: Final = clock

    def __repr__(self) -> str:
        return f"<{type(self).__name__} by {self._source} of {self._store!r}>"

    def read(self, kind: type[Typed]) -> list[Typed]:
        """The messages of all live keys of a class, in no particular order. Raises `NotReady`."""
        messages = self._store.messages(kind.message_type).values()
        return [message for message in messages if isinstance(message, kind)]

    def write(self, messages: Iterable[Message]) -> None:
        """Write messages as `CoordinatorStreamStore.write` does. Those without an envelope get one.

        Raises:
            NotReady: the store is not open.
            AppendRefused: the log rejects the events.
        """
        envelope = make_envelope(self._source, clock=self._clock)
        self._store.write([message if message.envelope else with_envelope(message, envelope) for message in messages])


def with_envelope(message: Message, envelope: Envelope) -> Message:
    """A copy of the message with this envelope."""
    return message.model_copy(update={"envelope": envelope})
