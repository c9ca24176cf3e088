"""Which keys an order is written under: partitions of a stream, for every task or for some."""

from collections.abc import Collection

from eventlog.error_text import did_you_mean
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from managers.startpoints.startpoint_errors import StartpointError
from managers.startpoints.startpoint_facts import StartpointFacts, Stream, stream_of


class OrderRefused(StartpointError):
    """An order that nobody would follow."""


def chosen_keys(
    facts: StartpointFacts,
    stream: Stream,
    partitions: Collection[int] | None,
    task_names: Collection[str] = (),
    *,
    there: Collection[int] = (),
    force: bool = False,
) -> list[StartpointKey]:
    """The keys to write for some partitions of a stream, None for all; for every task, or for these.

    All partitions are those that tasks read, and those that are ``there`` on the input; of tasks that are named, those
    that they read.

    Raises:
        OrderRefused: the job does not read the stream or a partition of it, or a task does not, or has not that name;
            with ``force`` only where it leaves nothing to write to.
    """
    found = _readers_by_number(facts, stream)
    if not force:
        _require_input(facts, stream)
        _require_tasks(facts, task_names)
        _require_partitions(found.keys() | set(there), stream, partitions or ())
    if not task_names:
        numbers = partitions if partitions is not None else found.keys() | set(there)
        return _some([StartpointKey(SystemStreamPartition(*stream, number)) for number in sorted(numbers)], stream)
    keys = []
    for task_name in task_names:
        own = {number for number, tasks in found.items() if task_name in tasks}
        if not force and partitions is not None:
            _require_own(task_name, own, stream, partitions)
        numbers = own if partitions is None else partitions
        keys += [
            StartpointKey(SystemStreamPartition(*stream, number), TaskName(task_name)) for number in sorted(numbers)
        ]
    return _some(keys, stream)


def _readers_by_number(facts: StartpointFacts, stream: Stream) -> dict[int, frozenset[str]]:
    """The tasks that read each partition of a stream; key buckets don't count, as in a startpoint's key."""
    found: dict[int, frozenset[str]] = {}
    for each, tasks in facts.readers.items():
        if stream_of(each) == stream:
            found[each.partition] = found.get(each.partition, frozenset()) | tasks
    return found


def _some(keys: list[StartpointKey], stream: Stream) -> list[StartpointKey]:
    if not keys:
        raise OrderRefused(
            f"no partition of {'.'.join(stream)} is known to be read: name them, such as {'.'.join(stream)}.0-7"
        )
    return keys


def _require_input(facts: StartpointFacts, stream: Stream) -> None:
    if stream not in facts.streams:
        listed = ", ".join(sorted(".".join(each) for each in facts.streams)) or "nothing that it has said"
        meant = did_you_mean(".".join(stream), [".".join(each) for each in facts.streams])
        raise OrderRefused(f"the job does not read {'.'.join(stream)}: it reads {listed}.{meant}")


def _require_tasks(facts: StartpointFacts, task_names: Collection[str]) -> None:
    known = sorted(facts.task_names)
    unknown = [task_name for task_name in task_names if known and task_name not in known]
    if unknown:
        listed = ", ".join(known[:10]) + (" and more" if len(known) > 10 else "")
        meant = did_you_mean(unknown[0], known)
        raise OrderRefused(f"the job has no task {unknown[0]!r}: it has {listed}.{meant}")


def _require_partitions(known: Collection[int], stream: Stream, partitions: Collection[int]) -> None:
    unknown = sorted(set(partitions) - set(known))
    if unknown and known:
        raise OrderRefused(
            f"no task reads partition {unknown[0]} of {'.'.join(stream)}: the last one is {max(known)}; "
            "write nevertheless with --force"
        )


def _require_own(task_name: str, own: Collection[int], stream: Stream, partitions: Collection[int]) -> None:
    others = sorted(set(partitions) - set(own))
    if others:
        listed = ", ".join(map(str, sorted(own))) or "none"
        raise OrderRefused(
            f"task {task_name!r} does not read partition {others[0]} of {'.'.join(stream)}: "
            f"it reads {listed}; write nevertheless with --force"
        )
