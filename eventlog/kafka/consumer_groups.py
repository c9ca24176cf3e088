"""What consumer groups have committed."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kafka import TopicPartition
from kafka.errors import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    GroupAuthorizationFailedError,
    GroupIdNotFoundError,
    IllegalGenerationError,
    KafkaError,
    NoError,
    NotCoordinatorError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from kafka.structs import OffsetAndMetadata

from eventlog.errors import EventLogError
from eventlog.kafka.client import AdminClient, ask

GroupPartition = tuple[str, int]
"""A topic and the number of a partition."""

Refusals = Mapping[GroupPartition, str]
"""Why Kafka refused partitions, in sentences."""


class GroupOffset(NamedTuple):
    """What a group has committed for a partition: the next offset to read, and a text."""

    next_offset: int
    metadata: str = ""


_HAS_MEMBERS: Final = (IllegalGenerationError, RebalanceInProgressError, UnknownMemberIdError)
_COORDINATOR_MOVED: Final = (CoordinatorLoadInProgressError, CoordinatorNotAvailableError, NotCoordinatorError)
_GROUP_ERRORS: Final = (*_HAS_MEMBERS, *_COORDINATOR_MOVED, GroupAuthorizationFailedError)
_NO_OFFSET: Final = -1


class ConsumerGroups(AdminClient):
    """The groups of one cluster. Connects when first used. Not thread-safe; a context manager.

    All methods raise `SourceUnavailable` if the cluster does not answer, or denies access to the group.
    """

    def offsets(self, group_id: str) -> Mapping[GroupPartition, GroupOffset]:
        """Everything that a group has committed; empty if there is no such group."""
        try:
            found = self._ask(lambda: self._client.list_group_offsets({group_id: None}), GroupIdNotFoundError)
        except GroupIdNotFoundError:
            return {}
        return {
            (each.topic, each.partition): GroupOffset(offset.offset, offset.metadata or "")
            for each, offset in found[group_id].items()
            if offset.offset != _NO_OFFSET
        }

    def commit(self, group_id: str, offsets: Mapping[GroupPartition, GroupOffset]) -> Refusals:
        """Commit offsets for a group and return what Kafka refused. Raises `EventLogError`: the group has members."""
        wanted = {
            TopicPartition(*each): OffsetAndMetadata(offset.next_offset, offset.metadata, None)
            for each, offset in offsets.items()
        }
        try:
            answers = self._ask(
                lambda: _raise_group_errors(self._client.alter_group_offsets(group_id, wanted)), *_HAS_MEMBERS
            )
        except _HAS_MEMBERS:
            raise EventLogError(
                f"Consumers of the group {group_id} are running on {self._options.place}. Stop them."
            ) from None
        check = "Check that the partition exists, and that the Kafka user may read the topic."
        return {
            (each.topic, each.partition): f"Kafka refused the offset ({error.__name__.removesuffix('Error')}). {check}"
            for each, error in answers.items()
            if error is not NoError
        }

    def _ask(self, question: Any, *answers: type[KafkaError]) -> Any:
        return ask(self._options, lambda: self._answer(question), answers=answers)

    def _answer(self, question: Any) -> Any:
        try:
            return question()
        except _COORDINATOR_MOVED:
            self.close()  # kafka-python would ask the same broker again
            raise


def _raise_group_errors(answers: Mapping[TopicPartition, Any]) -> Mapping[TopicPartition, Any]:
    """The answers by partition. Raises an error that is about the whole group, which each partition repeats."""
    for error in answers.values():
        if error in _GROUP_ERRORS:
            raise error
    return answers
