"""The tasks and partitions that a rewind is for, as users select them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from coordstream.cli.positions import Input, parse_input
from eventlog.partition import SystemStreamPartition
from managers.rewind.rewind_errors import InvalidRewind
from managers.rewind.rewind_targets import Reader
from managers.startpoints.next_starts import StartpointFacts
from managers.startpoints.startpoint_request import require_known


class Selection(NamedTuple):
    """Inputs and names of tasks; empty: all."""

    inputs: Sequence[str] = ()
    task_names: Sequence[str] = ()

    def choose(self, facts: StartpointFacts) -> list[Reader]:
        """The tasks and partitions that are selected, sorted.

        Raises:
            InvalidRewind: nothing is selected.
            InvalidStartpointRequest: the job does not read an input, or has no such task or partition.
        """
        inputs = [parse_input(word, facts.streams) for word in self.inputs]
        for each in inputs:
            require_known(facts, (each.system, each.stream), each.partitions or (), self.task_names)
        if not inputs and self.task_names:
            require_known(facts, None, (), self.task_names)
        chosen = _readers(facts.reads(), inputs, self.task_names)
        if not chosen:
            raise InvalidRewind("No task of the job is known to read a selected partition. Nothing to rewind.")
        return chosen


EVERYTHING: Final = Selection()


def _readers(
    reads: Mapping[str, Collection[SystemStreamPartition]], inputs: Sequence[Input], task_names: Sequence[str]
) -> list[Reader]:
    return [
        (task_name, partition)
        for task_name, partitions in sorted(reads.items())
        for partition in sorted(partitions)
        if (not task_names or task_name in task_names) and (not inputs or any(_has(each, partition) for each in inputs))
    ]


def _has(given: Input, partition: SystemStreamPartition) -> bool:
    is_stream = (given.system, given.stream) == (partition.system, partition.stream)
    return is_stream and (given.partitions is None or partition.partition in given.partitions)
