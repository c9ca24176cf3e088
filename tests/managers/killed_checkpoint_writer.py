"""Processes that write one checkpoint each and are killed the moment the call returns.

``python -m tests.managers.killed_checkpoint_writer BACKEND PLACE STREAM MANAGER ROUNDS`` starts one after the other.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Final

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import JobCheckpoints
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from tests.managers.killed_writer import opener

PARTITION: Final = SystemStreamPartition("kafka", "in", 0)
TASK: Final = "Partition 0"


def manager_of(log: EventLog, manager: str) -> JobCheckpoints:
    """A manager by its class's name, not yet started."""
    return CheckpointManager(log) if manager == CheckpointManager.__name__ else KafkaCheckpointManager(log)


def write_and_die(open_log: Callable[[], EventLog], manager: str, offset: str) -> None:
    """Write in a process of its own, which is killed when the call has returned.

    Raises:
        AssertionError: it ended in another way.
    """
    process = os.fork()
    if process == 0:
        try:
            writer = manager_of(open_log(), manager)
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
    opens_log = opener(given_backend, given_place, given_stream)
    for number in range(int(given_rounds)):
        write_and_die(opens_log, given_manager, str(number))
