"""Processes that write one checkpoint each and are killed the moment the call returns.

``python -m tests.managers.killed_checkpoint_writer BACKEND PLACE STREAM MANAGER ROUNDS`` starts one after the other.
"""

import os
import signal
import sys
import traceback
from typing import Final

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.streams import identify
from managers.checkpoint_manager import CheckpointManager
from managers.checkpoint_place import JobCheckpoints
from managers.kafka_checkpoint_manager import KafkaCheckpointManager

PARTITION: Final = SystemStreamPartition("kafka", "in", 0)
TASK: Final = "Partition 0"


def open_log(backend: str, place: str, stream_name: str) -> EventLog:
    """The log, in this process alone."""
    if backend == "kafka":
        from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415
        from eventlog.kafka.options import KafkaOptions  # noqa: PLC0415

        return KafkaEventLog(KafkaOptions.parse(place), identify(stream_name))
    from eventlog.postgres import PostgresEventLog  # noqa: PLC0415

    return PostgresEventLog(place, stream_name)


def manager_of(log: EventLog, manager: str) -> JobCheckpoints:
    """A manager by its class's name, not yet started."""
    return CheckpointManager(log) if manager == CheckpointManager.__name__ else KafkaCheckpointManager(log)


def write_and_die(backend: str, place: str, stream_name: str, manager: str, offset: str) -> None:
    """Write in a process of its own, which is killed when the call has returned.

    Raises:
        AssertionError: it ended in another way.
    """
    process = os.fork()
    if process == 0:
        try:
            writer = manager_of(open_log(backend, place, stream_name), manager)
            writer.register(TASK)
            writer.start()
            writer.write_checkpoint(TASK, CheckpointV1({PARTITION: offset}))
            os.kill(os.getpid(), signal.SIGKILL)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), f"{manager} failed"
    assert os.WTERMSIG(status) == signal.SIGKILL


if __name__ == "__main__":
    given_backend, given_place, given_stream, given_manager, given_rounds = sys.argv[1:]
    for number in range(int(given_rounds)):
        write_and_die(given_backend, given_place, given_stream, given_manager, str(number))
