"""The commands that undo a change of startpoint requests."""

from coordstream.cli.startpoint_plan import commands, write_commands
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp
from projections.job_choice import Job


def key(partition: int, task: str | None = None) -> StartpointKey:
    return StartpointKey(SystemStreamPartition("kafka", "in", partition), None if task is None else TaskName(task))


def test_a_command_deletes_requests_of_a_task_or_of_every_task() -> None:
    keys = [key(0), key(1), key(2), key(5), key(0, "t u"), key(1, "t u")]
    assert commands("delete", Job("word count", "1"), dict.fromkeys(keys, "")) == [
        "coordstream startpoint delete 'word count/1' kafka.in.0-2,5",
        "coordstream startpoint delete 'word count/1' kafka.in.0-1 --task 't u'",
    ]


def test_requests_can_be_written_again() -> None:
    requests: dict[str, Startpoint] = {
        "kafka.in.0": StartpointSpecific("7", 1),
        "kafka.in.1": StartpointSpecific("7", 2),
        "kafka.in.2.Partition 2": StartpointTimestamp(1_700_000_000_001, 3),
        "kafka.in.3": StartpointOldest(4),
        "kafka.in.4": StartpointSpecific(None, 5),
        "no key": StartpointOldest(6),
    }
    assert write_commands(Job("j", "1"), requests) == [
        "coordstream startpoint write j/1 kafka.in.0-1 7",
        "coordstream startpoint write j/1 kafka.in.2 2023-11-14T22:13:20.001Z --task 'Partition 2'",
        "coordstream startpoint write j/1 kafka.in.3 oldest",
    ]
