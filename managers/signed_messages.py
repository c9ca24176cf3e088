"""Messages of a store, read as a class and written with a writer's signature."""

from collections.abc import Iterable
from typing import ClassVar, Final, Protocol, TypeVar

from eventlog.log import Clock
from eventlog.messages import Envelope, Message
from managers.signature import signed
from managers.stores.coordinator_store import CoordinatorStreamStore


class TypedMessage(Protocol):
    """A message of one type."""

    message_type: ClassVar[str]


Said = TypeVar("Said", bound=TypedMessage)


class SignedMessages:
    """What a manager reads from its store, and writes there as ``source``."""

    def __init__(self, store: CoordinatorStreamStore, source: str, clock: Clock) -> None:
        self._store: Final = store
        self._source: Final = source
        self._clock: Final = clock

    def __repr__(self) -> str:
        return f"<{type(self).__name__} by {self._source} of {self._store!r}>"

    def read(self, kind: type[Said]) -> list[Said]:
        """What the living keys of a message class say, in no order that means something. Raises `NotReady`."""
        said = self._store.messages(kind.message_type).values()
        return [message for message in said if isinstance(message, kind)]

    def write(self, messages: Iterable[Message]) -> None:
        """Write messages as `CoordinatorStreamStore.write` does, signed now unless they are signed already.

        Raises:
            NotReady: the store is not open.
            AppendRefused: the log takes no such events.
        """
        envelope = signed(self._source, clock=self._clock)
        self._store.write([message if message.envelope else sign(message, envelope) for message in messages])


def sign(message: Message, envelope: Envelope) -> Message:
    """The message as one writer says it."""
    return message.model_copy(update={"envelope": envelope})
