"""A change of startpoint requests: which keys it has, what to warn of, and how it is written."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from eventlog.errors import WireError, did_you_mean
from eventlog.log import EventLog, end_after
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, parse_int32, startpoint_key_readings
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
        require_known(facts, stream, (), task_names)
        _require_partitions(known, stream, partitions or (), " Use --force to write it anyway.")
    keys: list[StartpointKey] = []
    for task_name in task_names or (None,):
        own = known if task_name is None else {number for number, tasks in readers.items() if task_name in tasks}
        numbers = sorted(own if partitions is None else partitions)
        chosen, reads = ([SystemStreamPartition(*stream, number) for number in each] for each in (numbers, own))
        if task_name is not None and not force:
            require_reads({task_name: reads}, {task_name: chosen}, " Use --force to write it anyway.")
        keys += [StartpointKey(each, None if task_name is None else TaskName(task_name)) for each in chosen]
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
    if stream is not None and stream not in facts.streams:
        name, inputs = ".".join(stream), sorted(".".join(each) for each in facts.streams)
        raise InvalidStartpointRequest(
            f"The job does not read {name}. Its inputs: {', '.join(inputs) or 'none known'}."
            f"{did_you_mean(name, inputs)}"
        )
    known = sorted(facts.task_names)
    unknown = [task_name for task_name in task_names if known and task_name not in known]
    if unknown:
        raise InvalidStartpointRequest(no_such_task(unknown[0], known))
    if stream is not None:
        _require_partitions(_readers_by_partition(facts, stream).keys(), stream, partitions)


def require_reads(reads: TaskPartitions, wanted: TaskPartitions, advice: str = "") -> None:
    """Raise `InvalidStartpointRequest` for the first partition that its task is not known to read."""
    for task_name, partitions in sorted(wanted.items()):
        own = reads.get(task_name, ())
        others = sorted(set(partitions) - set(own))
        if others:
            listed = ", ".join(map(str, sorted(own))) or "none"
            raise InvalidStartpointRequest(f"Task {task_name!r} does not read {others[0]}. It reads: {listed}.{advice}")


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


def _require_partitions(known: Collection[int], stream: Stream, partitions: Collection[int], advice: str = "") -> None:
    unknown = sorted(set(partitions) - set(known))
    if unknown and known:
        raise InvalidStartpointRequest(
            f"No task reads partition {unknown[0]} of {'.'.join(stream)}; the last partition is {max(known)}.{advice}"
        )


RequestValues = Mapping[str, bytes | None]
"""The values to write, by the texts of their keys; None deletes."""


def startpoint_events(log: EventLog, first: int) -> Iterator[tuple[NamespacedKey, bytes | None]]:
    """The key and the value (None: deleted) of each request and fan-out on a stream, from an offset on.

    Raises `OffsetLost` for a stream that was created again.
    """
    for event in log.read(first, end_after(log, first)):
        name = read_name(event.key)
        if name is not None and name.namespace in (REQUESTS, FAN_OUTS):
            yield name, event.value


def write_unless_changed(store: CoordinatorStreamStore, known: RequestValues, requests: RequestValues) -> None:
    """Write requests, unless the requests that concern their tasks and partitions are no longer the ``known`` ones.

    All of them are written or none, unless they exceed half a megabyte. Other spellings of their keys, and requests for
    every task, count as well. A log in Postgres refuses the append if it has grown. Kafka has no such append: what
    another writer appends between the last read and the append is found afterwards. Raises `StartpointsChanged`, whose
    ``is_written`` says whether the requests are on the log, and `AppendRefused`.
    """
    tasks: dict[SystemStreamPartition, set[TaskName | None]] = {}
    for key in chain.from_iterable(map(startpoint_key_readings, requests)):
        tasks.setdefault(key.partition, set()).add(key.task_name)
    is_written = False

    def change(current: Mapping[NamespacedKey, bytes]) -> Mapping[NamespacedKey, bytes | None]:
        nonlocal is_written
        now = {name.key: value for name, value in current.items()}
        for key_text in sorted({*known, *now}):
            if now.get(key_text) != known.get(key_text) and any(map(concerns, startpoint_key_readings(key_text))):
                raise StartpointsChanged(f"the startpoint request {key_text!r}", is_written=is_written)
        is_written = True
        return {NamespacedKey(REQUESTS, key_text): value for key_text, value in requests.items()}

    def concerns(key: StartpointKey) -> bool:
        own = tasks.get(key.partition, set())
        return key.task_name in own or (bool(own) and None in (key.task_name, *own))

    if requests:
        store.update(change, REQUESTS)
