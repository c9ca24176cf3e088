import shlex

from coordstream.cli.startpoint.undo_commands import delete_commands, write_commands
from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp
from projections.job_choice import Job

JOB = Job("word count", "1")


def key(partition: int, task: str | None = None, stream: str = "in") -> StartpointKey:
    return StartpointKey(SystemStreamPartition("kafka", stream, partition), None if task is None else TaskName(task))


def test_one_command_deletes_what_one_command_wrote() -> None:
    assert delete_commands(JOB, [key(0), key(1), key(2), key(5)]) == [
        "coordstream startpoint delete 'word count/1' kafka.in.0-2,5"
    ]
    by_task = [key(4, "Partition 4"), key(12, "Partition 4"), key(4, "x"), key(12, "x")]
    (command,) = delete_commands(JOB, by_task)
    words = shlex.split(command)
    assert words[4:] == ["kafka.in.4,12", "--task", "Partition 4", "--task", "x"]


def test_requests_for_every_task_and_for_one_need_two_commands() -> None:
    assert delete_commands(JOB, [key(0), key(0, "t"), key(1, "u")]) == [
        "coordstream startpoint delete 'word count/1' kafka.in.0",
        "coordstream startpoint delete 'word count/1' kafka.in.0 --task t",
        "coordstream startpoint delete 'word count/1' kafka.in.1 --task u",
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
