"""An input system that is a Kafka cluster: how far its topics reach, and which offset a startpoint means there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from kafka import OffsetSpec, TopicPartition
from kafka.errors import (
    InvalidTopicError,
    NoError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    for_code,
)

from eventlog.kafka.client import AdminClient, ask
from eventlog.partition import SystemStreamPartition
from eventlog.source import CredentialsRefused
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
    StartpointVisitor,
)
from eventlog.system_admin import (
    InputMissing,
    ResolvedStartpoint,
    SystemStreamMetadata,
    SystemStreamPartitionMetadata,
    compare_offsets,
    offset_after,
)

_EARLIEST: Final = int(OffsetSpec.EARLIEST)
_LATEST: Final = int(OffsetSpec.LATEST)
_NO_OFFSET: Final = -1

Question = tuple[TopicPartition, int]
"""A partition, and a time in ms since 1970 or one of Kafka's signs for its ends."""


class KafkaSystemAdmin(AdminClient):
    """See `SystemAdmin`; of one cluster (KafkaSystemAdmin of Samza). It connects when it is first asked.

    Records of transactions count as soon as they are written, as for Samza's own consumer. Methods that ask the
    cluster raise `InputMissing`, and `SourceUnavailable` where it does not answer within seconds. Not safe for
    threads; a context manager.
    """

    def get_offsets_after(
        self, offsets: Mapping[SystemStreamPartition, str]
    ) -> Mapping[SystemStreamPartition, str | None]:
        """See `SystemAdmin.get_offsets_after`: one more. What compaction has taken, a consumer skips by itself."""
        return MappingProxyType({partition: offset_after(offset) for partition, offset in offsets.items()})

    def get_system_stream_metadata(self, stream_names: Iterable[str]) -> Mapping[str, SystemStreamMetadata]:
        """See `SystemAdmin.get_system_stream_metadata`.

        As in Samza the newest offset is the one before the end, even if that record is gone, and None where there
        never was one.
        """
        streams = self._partitions(list(dict.fromkeys(stream_names)))
        questions = [(one, end) for each in streams.values() for one in each for end in (_EARLIEST, _LATEST)]
        found = self._offsets(questions)
        return MappingProxyType(
            {
                name: SystemStreamMetadata(
                    name,
                    MappingProxyType(
                        {one.partition: _reach(found[one, _EARLIEST], found[one, _LATEST]) for one in each}
                    ),
                )
                for name, each in streams.items()
            }
        )

    def offset_comparator(self, one: str, other: str) -> int | None:
        """See `SystemAdmin.offset_comparator`: by number."""
        return compare_offsets(one, other)

    def resolve_startpoint(self, partition: SystemStreamPartition, startpoint: Startpoint) -> ResolvedStartpoint | None:
        """See `SystemAdmin.resolve_startpoint`, and `resolve_startpoints` for what each kind means here."""
        return self.resolve_startpoints({partition: startpoint})[partition]

    def resolve_startpoint_to_offset(self, partition: SystemStreamPartition, startpoint: Startpoint) -> str | None:
        """See `SystemAdmin.resolve_startpoint_to_offset`."""
        resolved = self.resolve_startpoint(partition, startpoint)
        return None if resolved is None else resolved.offset

    def resolve_startpoints(
        self, startpoints: Mapping[SystemStreamPartition, Startpoint]
    ) -> Mapping[SystemStreamPartition, ResolvedStartpoint | None]:
        """The first offsets to read of several partitions, asked for at once.

        ``oldest`` is the first offset that is there, ``upcoming`` the end; a timestamp is the first record that is not
        older, and the end where there is none (``is_past_end``). A specific offset is given back as it is, unasked.

        Raises:
            TypeError: something is no partition or no startpoint.
            ValueError: a timestamp names no time.
        """
        wanted = {each: _wanted(each, startpoint) for each, startpoint in startpoints.items()}
        questions = [one for one in wanted.values() if isinstance(one, tuple)]
        found = self._offsets(questions)
        past_end = [(partition, _LATEST) for (partition, at), offset in found.items() if offset == _NO_OFFSET]
        ends = self._offsets(past_end)
        return MappingProxyType({each: _resolved(one, found, ends) for each, one in wanted.items()})

    def _partitions(self, stream_names: Sequence[str]) -> Mapping[str, Sequence[TopicPartition]]:
        """The partitions of each stream, in order."""
        topics = ask(self._options, lambda: self._described(stream_names)) if stream_names else []
        numbers = {topic["name"]: sorted(one["partition_index"] for one in topic["partitions"]) for topic in topics}
        return {name: [TopicPartition(name, number) for number in numbers[name]] for name in stream_names}

    def _described(self, stream_names: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        topics: Sequence[Mapping[str, Any]] = self._client.describe_topics(list(stream_names))
        for topic in topics:
            self._check(topic["name"], for_code(topic["error_code"]))
        return topics

    def _check(self, stream_name: str, error: Any) -> None:
        if error in (UnknownTopicOrPartitionError, InvalidTopicError):
            raise InputMissing(stream_name, None, self._options.place)
        if error is TopicAuthorizationFailedError:
            raise CredentialsRefused(
                f"{self._options.place} does not let us look at {stream_name}: give its user the right to describe it"
            )
        if error is not NoError:  # such as that it has no leader since it is being made: asked again, it will be there
            raise error(stream_name)

    def _offsets(self, questions: Iterable[Question]) -> Mapping[Question, int]:
        """The answers, -1 where no record is as new as a time; one request to each broker, if no partition is twice."""
        found: dict[Question, int] = {}
        for batch in _batches(questions):
            for partition, answer in self._listed(batch).items():
                found[partition, batch[partition]] = answer.offset
        return found

    def _listed(self, batch: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, Any]:
        try:
            return ask(
                self._options,
                lambda: self._client.list_partition_offsets(dict(batch)),
                answers=(UnknownTopicOrPartitionError,),
            )
        except UnknownTopicOrPartitionError:
            raise self._missing(batch) from None

    def _missing(self, asked: Iterable[TopicPartition]) -> InputMissing:
        """Which of the partitions is not there; raises `InputMissing` by itself where it is a whole topic."""
        partitions = list(asked)
        there = self._partitions(list(dict.fromkeys(one.topic for one in partitions)))
        gone = next((one for one in partitions if one not in there[one.topic]), partitions[0])
        return InputMissing(gone.topic, gone.partition, self._options.place)


class _Wanted(StartpointVisitor[SystemStreamPartition, Question | str | None]):
    """What to ask of Kafka for a startpoint; a text is an answer, None: there is none."""

    def visit_specific(self, given: SystemStreamPartition, startpoint: StartpointSpecific) -> str | None:  # noqa: ARG002
        return startpoint.specific_offset

    def visit_timestamp(self, given: SystemStreamPartition, startpoint: StartpointTimestamp) -> Question:
        if startpoint.timestamp_offset is None:
            raise ValueError(f"the startpoint for {given} names no time: give it a timestamp_offset")
        return _topic_partition(given), max(startpoint.timestamp_offset, 0)  # below are Kafka's signs for other things

    def visit_oldest(self, given: SystemStreamPartition, startpoint: StartpointOldest) -> Question:  # noqa: ARG002
        return _topic_partition(given), _EARLIEST

    def visit_upcoming(self, given: SystemStreamPartition, startpoint: StartpointUpcoming) -> Question:  # noqa: ARG002
        return _topic_partition(given), _LATEST


_WANTED: Final = _Wanted()


def _wanted(partition: Any, startpoint: Any) -> Question | str | None:
    if not isinstance(partition, SystemStreamPartition) or type(partition.partition) is not int:
        raise TypeError(f"partition must be a SystemStreamPartition with a number, not {partition!r}")
    if not isinstance(startpoint, Startpoint):
        raise TypeError(f"startpoint must be one of Samza's four kinds, not {startpoint!r}")
    wanted: Question | str | None = startpoint.apply(partition, _WANTED)
    return wanted


def _topic_partition(partition: SystemStreamPartition) -> TopicPartition:
    return TopicPartition(partition.stream, partition.partition)


def _resolved(
    wanted: Question | str | None, found: Mapping[Question, int], ends: Mapping[Question, int]
) -> ResolvedStartpoint | None:
    if wanted is None or isinstance(wanted, str):
        return None if wanted is None else ResolvedStartpoint(wanted)
    if found[wanted] != _NO_OFFSET:
        return ResolvedStartpoint(str(found[wanted]))
    return ResolvedStartpoint(str(ends[wanted[0], _LATEST]), is_past_end=True)


def _reach(oldest: int, upcoming: int) -> SystemStreamPartitionMetadata:
    newest = str(upcoming - 1) if upcoming > 0 else None
    return SystemStreamPartitionMetadata(str(oldest), newest, str(upcoming))


def _batches(questions: Iterable[Question]) -> Iterator[Mapping[TopicPartition, int]]:
    """The questions, no partition twice in one request: Kafka takes no such."""
    left = set(questions)
    while left:
        batch = dict(left)
        yield batch
        left -= set(batch.items())
