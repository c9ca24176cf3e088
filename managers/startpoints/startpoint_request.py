"""A change of startpoint requests: what it asks, what the inputs say about it, and how it is written."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from eventlog.errors import WireError, did_you_mean
from eventlog.log import EventLog, end_after
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, parse_int32, startpoint_key_readings
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import Startpoint, StartpointSpecific, StartpointTimestamp
from eventlog.system_admin import (
    BoundedSystemAdmin,
    ResolvedStartpoint,
    SystemAdmin,
    SystemStreamPartitionMetadata,
)
from managers.errors import no_such_task
from managers.job_facts import changelogs
from managers.startpoints.next_starts import StartpointFacts, Stream, stream_of
from managers.startpoints.startpoint_records import (
    FAN_OUTS,
    HIGH_AVAILABILITY,
    REQUESTS,
    STARTPOINTS_ENABLED,
    InvalidStartpointRequest,
    StartpointsChanged,
    TaskPartitions,
    describe_key,
    is_highly_available,
    key_meanings,
    startpoints_enabled,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey, read_name

COORDINATOR_FACTORY: Final = "job.coordinator.factory"
NO_LEADER_FACTORY: Final = "org.apache.samza.standalone.PassthroughJobCoordinatorFactory"


class InputProblem(Enum):
    """Why a startpoint may not do what is expected in one partition of its input."""

    NOT_THERE = "not-there"
    """The input has no such partition."""
    AFTER_LAST = "after-last"
    """No event is that late, or the offset is beyond the end."""
    BEFORE_RETAINED = "before-retained"
    """The input has already deleted events since that time, or the event at that offset."""


@dataclass(frozen=True, slots=True)
class ResolvedInput:
    """The bounds of every partition of a stream; resolved offsets and problems for the requested ones."""

    bounds: Mapping[int, SystemStreamPartitionMetadata]
    resolved: Mapping[int, ResolvedStartpoint]
    problems: Mapping[int, InputProblem]

    def first_offset(self, partition: int, start: StartingOffset) -> str | None:
        """The first offset read by a start from a checkpoint, reset or default; None if unknown."""
        bounds = self.bounds.get(partition)
        if start.starting_offset is not None or bounds is None:
            return start.starting_offset
        if start.startpoint_type == "oldest":
            return bounds.oldest_offset or bounds.upcoming_offset
        return bounds.upcoming_offset if start.startpoint_type == "upcoming" else None


def resolve_input(
    admin: BoundedSystemAdmin, system: str, stream: str, partitions: Collection[int] | None, startpoint: Startpoint
) -> ResolvedInput:
    """Resolve a startpoint in these partitions of a stream, None for all. Raises what the admin raises."""
    found = admin.get_system_stream_metadata([stream]).get(stream)
    bounds = {} if found is None else found.partitions
    numbers = sorted(bounds if partitions is None else partitions)
    asked = {number: SystemStreamPartition(system, stream, number) for number in numbers if number in bounds}
    answers = admin.resolve_startpoints(dict.fromkeys(asked.values(), startpoint))
    resolved = {number: answer for number, each in asked.items() if (answer := answers[each]) is not None}
    problems = {number: _problem(admin, startpoint, bounds.get(number), resolved.get(number)) for number in numbers}
    return ResolvedInput(bounds, resolved, {number: each for number, each in problems.items() if each is not None})


def _problem(
    admin: SystemAdmin,
    startpoint: Startpoint,
    bounds: SystemStreamPartitionMetadata | None,
    resolution: ResolvedStartpoint | None,
) -> InputProblem | None:
    if bounds is None:
        return InputProblem.NOT_THERE
    match startpoint:
        case StartpointTimestamp():
            return None if resolution is None else _problem_of_time(bounds, resolution)
        case StartpointSpecific(str(offset)):
            return _problem_of_offset(admin, offset, bounds)
    return None


def _problem_of_time(bounds: SystemStreamPartitionMetadata, resolution: ResolvedStartpoint) -> InputProblem | None:
    if resolution.is_past_end:
        return InputProblem.AFTER_LAST
    is_truncated = bounds.oldest_offset not in (None, "0")
    return InputProblem.BEFORE_RETAINED if is_truncated and resolution.offset == bounds.oldest_offset else None


def _problem_of_offset(admin: SystemAdmin, offset: str, bounds: SystemStreamPartitionMetadata) -> InputProblem | None:
    first = bounds.oldest_offset or bounds.upcoming_offset
    if first is not None and (admin.offset_comparator(offset, first) or 0) < 0:
        return InputProblem.BEFORE_RETAINED
    if bounds.upcoming_offset is not None and (admin.offset_comparator(offset, bounds.upcoming_offset) or 0) > 0:
        return InputProblem.AFTER_LAST
    return None


def choose_keys(
    facts: StartpointFacts,
    stream: Stream,
    partitions: Collection[int] | None,
    task_names: Collection[str] = (),
    *,
    existing: Collection[int] = (),
    force: bool = False,
) -> list[StartpointKey]:
    """The keys of requests for some partitions of a stream (None: all), for every task or for some.

    For every task, "all" means the partitions that tasks read and those that are ``existing`` on the input. Raises
    `InvalidStartpointRequest` for an unknown stream, partition or task; with ``force``, only if no key is left.
    """
    readers = _readers_by_partition(facts, stream)
    known = readers.keys() | set(existing)
    if not force:
        _require_input(facts, stream)
        _require_tasks(facts, task_names)
        _require_partitions(known, stream, partitions or (), " Use --force to write it anyway.")
    if task_names:
        keys = [key for task_name in task_names for key in _task_keys(task_name, readers, stream, partitions, force)]
    else:
        numbers = known if partitions is None else partitions
        keys = [StartpointKey(SystemStreamPartition(*stream, number)) for number in sorted(numbers)]
    if not keys:
        name = ".".join(stream)
        raise InvalidStartpointRequest(
            f"No task is known to read a partition of {name}. Name the partitions, for example {name}.0-7."
        )
    return keys


def require_known(
    facts: StartpointFacts, stream: Stream | None, partitions: Collection[int], task_names: Collection[str]
) -> None:
    """Raise `InvalidStartpointRequest` unless the job has these tasks, and tasks read these partitions of a stream."""
    _require_tasks(facts, task_names)
    if stream is not None:
        _require_input(facts, stream)
        _require_partitions(_readers_by_partition(facts, stream).keys(), stream, partitions)


def job_warnings(config: Mapping[str, str]) -> Iterator[str]:
    """Why a job with this config would not follow any startpoint as expected, in sentences."""
    if config.get(COORDINATOR_FACTORY) == NO_LEADER_FACTORY:
        yield (
            f"The job's coordinator ({NO_LEADER_FACTORY}) does not fan out startpoints: the job will never follow this "
            "one."
        )
    elif not startpoints_enabled(config):
        yield f"{STARTPOINTS_ENABLED} is not true: until it is, the job ignores startpoints."
    elif is_highly_available(config):
        yield (
            f"{HIGH_AVAILABILITY} is true: the job fans out startpoints only when it is deployed again, or when its "
            "job model or sizes change."
        )
    if stores := [each.store for each in changelogs(config)]:
        noun = "state store" if len(stores) == 1 else "state stores"
        yield f"A startpoint does not rewind the {noun} {', '.join(stores)}: existing contents stay."


def key_warnings(keys: Iterable[StartpointKey], task_to_partitions: TaskPartitions) -> Iterator[str]:
    """The same for some keys, given the partitions of the job's tasks (empty: unknown). A sentence may be repeated."""
    meanings = key_meanings(task_to_partitions)
    for key in keys:
        yield from _stream_warnings(key.partition.stream)
        known = meanings.get(str(key), frozenset())
        readings = known or set(startpoint_key_readings(str(key)))
        others = sorted(describe_key(other) for other in readings if other != key)
        if others and known != {key}:
            yield (
                f"The key {key} can also mean {' or '.join(others)}: unless the assignments settle it, the request is "
                "ignored."
            )


def _stream_warnings(stream: str) -> Iterator[str]:
    if "." in stream:
        first, second = stream.split(".")[:2]
        try:
            effect = f"reads it as partition {parse_int32(second, 'bad_partition', 'the partition')} of {first}"
        except WireError:
            effect = "fails when it reads the fan-out of its tasks"
        yield f"The name of stream {stream} contains a dot: a job on Samza 1.8.0 {effect}."


def _readers_by_partition(facts: StartpointFacts, stream: Stream) -> dict[int, frozenset[str]]:
    """The tasks that read each partition of a stream, whichever key bucket."""
    found: dict[int, frozenset[str]] = {}
    for each, tasks in facts.readers.items():
        if stream_of(each) == stream:
            found[each.partition] = found.get(each.partition, frozenset()) | tasks
    return found


def _task_keys(
    task_name: str,
    readers: Mapping[int, frozenset[str]],
    stream: Stream,
    partitions: Collection[int] | None,
    force: bool,
) -> list[StartpointKey]:
    own = {number for number, tasks in readers.items() if task_name in tasks}
    if partitions is not None and not force:
        _require_own(task_name, own, stream, partitions)
    numbers = own if partitions is None else partitions
    return [StartpointKey(SystemStreamPartition(*stream, number), TaskName(task_name)) for number in sorted(numbers)]


def _require_input(facts: StartpointFacts, stream: Stream) -> None:
    if stream not in facts.streams:
        name, known = ".".join(stream), sorted(".".join(each) for each in facts.streams)
        raise InvalidStartpointRequest(
            f"The job does not read {name}. Its inputs: {', '.join(known) or 'none known'}.{did_you_mean(name, known)}"
        )


def _require_tasks(facts: StartpointFacts, task_names: Collection[str]) -> None:
    known = sorted(facts.task_names)
    unknown = [task_name for task_name in task_names if known and task_name not in known]
    if unknown:
        raise InvalidStartpointRequest(no_such_task(unknown[0], known))


def _require_partitions(known: Collection[int], stream: Stream, partitions: Collection[int], advice: str = "") -> None:
    unknown = sorted(set(partitions) - set(known))
    if unknown and known:
        raise InvalidStartpointRequest(
            f"No task reads partition {unknown[0]} of {'.'.join(stream)}; the last partition is {max(known)}.{advice}"
        )


def _require_own(task_name: str, own: Collection[int], stream: Stream, partitions: Collection[int]) -> None:
    others = sorted(set(partitions) - set(own))
    if others:
        listed = ", ".join(map(str, sorted(own))) or "none"
        raise InvalidStartpointRequest(
            f"Task {task_name!r} does not read partition {others[0]} of {'.'.join(stream)}. It reads: {listed}. "
            "Use --force to write it anyway."
        )


RequestValues = Mapping[str, bytes | None]
"""The values to write, by the texts of their keys; None deletes."""
_OwnKeys = Mapping[SystemStreamPartition, Sequence[tuple[str, TaskName | None]]]
"""The keys of the own requests for each partition, and the task that each means; None: every task."""


def startpoint_events(log: EventLog, first: int) -> Iterator[tuple[int, NamespacedKey, bytes | None]]:
    """The offset, the key and the value (None: deleted) of each request and fan-out on a stream, from an offset on.

    Raises `OffsetLost` for a stream that was created again.
    """
    for event in log.read(first, end_after(log, first)):
        name = read_name(event.key)
        if name is not None and name.namespace in (REQUESTS, FAN_OUTS):
            yield event.offset, name, event.value


def write_unless_changed(store: CoordinatorStreamStore, log: EventLog, first: int, requests: RequestValues) -> None:
    """Write requests, unless another writer has changed them since they were read, up to offset ``first``.

    All of them are written or none, unless they exceed half a megabyte. Other spellings of their keys, and requests for
    every task, count as well. A log in Postgres refuses the append if it has grown. Kafka has no such append: what
    another writer appends between the last read and the append is found afterwards. Raises `StartpointsChanged`, whose
    ``is_written`` says whether the requests are on the log, and `AppendRefused`.
    """
    is_appended = False

    def change(_current: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
        nonlocal is_appended
        _require_unchanged(log, first, requests, is_appended=is_appended)
        is_appended = True
        return {NamespacedKey(REQUESTS, key_text): value for key_text, value in requests.items()}

    if requests:
        store.update(change, REQUESTS)
        _require_unchanged(log, first, requests, is_appended=is_appended)


def _require_unchanged(log: EventLog, first: int, own: RequestValues, *, is_appended: bool) -> None:
    """Raise `StartpointsChanged` for the first change by another writer before all of the own ones are on the log.

    Later changes were made to the written requests.
    """
    missing, own_keys = set(own), _keys_of_partitions(own)
    other: tuple[int, str] | None = None
    requests = (
        (at, name.key, value) for at, name, value in startpoint_events(log, first) if name.namespace == REQUESTS
    )
    for offset, key_text, value in requests:
        if not missing:
            break
        if is_appended and key_text in own and value == own[key_text]:
            missing.discard(key_text)
        elif other is None and _overlaps(key_text, own_keys, missing):
            other = offset, key_text
    if other is not None:
        raise StartpointsChanged(f"the startpoint request {other[1]!r}", other[0], is_written=is_appended)


def _keys_of_partitions(own: RequestValues) -> _OwnKeys:
    found: dict[SystemStreamPartition, list[tuple[str, TaskName | None]]] = {}
    for key_text in own:
        for key in startpoint_key_readings(key_text):
            found.setdefault(key.partition, []).append((key_text, key.task_name))
    return found


def _overlaps(key_text: str, own_keys: _OwnKeys, missing: Collection[str]) -> bool:
    """Whether a request concerns a partition of a request that is not written yet, in one of its tasks."""
    return any(
        own_text in missing and (None in (key.task_name, task_name) or key.task_name == task_name)
        for key in startpoint_key_readings(key_text)
        for own_text, task_name in own_keys.get(key.partition, ())
    )
