"""What a request's key means where it can be read in several ways, by the assignments that the job has written."""

import logging
from collections.abc import Iterable
from typing import Final

from eventlog.messages import Message, SetTaskPartitionMapping
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName, startpoint_key_readings
from managers.startpoints.startpoint_fan_out import in_words, whole

ASSIGNMENTS: Final = SetTaskPartitionMapping.message_type

_logger: Final = logging.getLogger(__name__)


def is_meant(
    text: str, partition: SystemStreamPartition, task_name: str | None, assignments: Iterable[Message]
) -> bool:
    """Whether the key is that of a request for this partition and task, and nothing else, as `startpoint` shows it.

    A key that can be read in several ways means the one that the assignments have. If they have none or several, it is
    ambiguous, which is logged.
    """
    readings = startpoint_key_readings(text)
    if len(readings) < 2:
        return True
    known = _known(assignments)
    found = [reading for reading in readings if reading in known]
    if len(found) != 1:
        said = " or ".join(map(in_words, found or readings))
        _logger.warning("the startpoint %s is for %s: nobody gets it", text, said)
        return False
    return found == [StartpointKey(whole(partition), None if task_name is None else TaskName(task_name))]


def _known(assignments: Iterable[Message]) -> set[StartpointKey]:
    mappings = [each for each in assignments if isinstance(each, SetTaskPartitionMapping)]
    for_tasks = {StartpointKey(whole(each.partition), TaskName(task)) for each in mappings for task in each.task_names}
    return for_tasks | {StartpointKey(whole(each.partition)) for each in mappings}
