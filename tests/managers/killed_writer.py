"""Processes that write one thing each and are killed the moment the call returns.

``python -m tests.managers.killed_writer BACKEND PLACE STREAM WRITER ROUNDS`` starts them one after the other.
"""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog
from eventlog.messages import SetConfig
from eventlog.streams import identify
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import JobCheckpoints
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from managers.config.job_config import delete_config, read_config, set_config, write_config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from managers.streams.coordinator_producer import CoordinatorStreamProducer, CoordinatorStreamWriter

VALUE: Final = "v"


def store_of(log: EventLog) -> CoordinatorStreamStore:
    store = CoordinatorStreamStore(log)
    store.init()
    return store


def started(log: EventLog) -> CoordinatorStreamProducer:
    producer = CoordinatorStreamProducer(log)
    producer.start()
    return producer


def writer_of(log: EventLog) -> CoordinatorStreamWriter:
    writer = CoordinatorStreamWriter(log)
    writer.start()
    return writer


def named(mark: str) -> NamespacedKey:
    return NamespacedKey("set-config", mark)


def commit(manager: JobCheckpoints, task_name: str) -> None:
    manager.register(task_name)
    manager.start()
    manager.write_checkpoint(task_name, CheckpointV1({}))


def delete_what_is_set(log: EventLog, mark: str) -> None:
    writer = writer_of(log)
    writer.send_set_config(mark, VALUE)
    writer.send_delete_config(mark)


WRITERS: Final[dict[str, Callable[[EventLog, str], object]]] = {
    "store.put": lambda log, mark: store_of(log).put(named(mark), b"{}"),
    "store.put_all": lambda log, mark: store_of(log).put_all({named(mark): b"{}"}),
    "store.delete": lambda log, mark: store_of(log).delete(named(mark)),
    "store.delete_all": lambda log, mark: store_of(log).delete_all([named(mark)]),
    "producer.send": lambda log, mark: started(log).send(SetConfig(config_key=mark, config_value=VALUE)),
    "producer.write_config": lambda log, mark: started(log).write_config("job-runner", {mark: VALUE}),
    "writer.send_set_config": lambda log, mark: writer_of(log).send_set_config(mark, VALUE),
    "writer.send_delete_config": delete_what_is_set,
    "write_config": lambda log, mark: write_config(store_of(log), {**read_config(store_of(log)), mark: VALUE}),
    "set_config": lambda log, mark: set_config(store_of(log), mark, VALUE),
    "delete_config": lambda log, mark: delete_config(store_of(log), mark),
    "CheckpointManager.write_checkpoint": lambda log, mark: commit(CheckpointManager(log), mark),
    "KafkaCheckpointManager.write_checkpoint": lambda log, mark: commit(KafkaCheckpointManager(log), mark),
}
"""Every call that writes; each leaves an event of the key or the task that it is given."""

DELETES: Final = frozenset(name for name in WRITERS if "delete" in name)


def opener(backend: str, place: str, stream: str) -> Callable[[], EventLog]:
    """What opens the log, loaded before there are processes to wait for it."""
    if backend == "kafka":
        from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415
        from eventlog.kafka.options import KafkaOptions  # noqa: PLC0415

        return partial(KafkaEventLog, KafkaOptions.parse(place), identify(stream))
    from eventlog.postgres.log import PostgresEventLog  # noqa: PLC0415

    return partial(PostgresEventLog, place, stream)


def write_and_die(open_log: Callable[[], EventLog], writer: str, mark: str) -> None:
    """Write in a process of its own, which is killed when the call has returned."""
    process = os.fork()
    if process == 0:
        try:
            WRITERS[writer](open_log(), mark)
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), f"{writer} failed"
    assert os.WTERMSIG(status) == signal.SIGKILL


if __name__ == "__main__":
    *given_place, given_writer, given_rounds = sys.argv[1:]
    given_log = opener(*given_place)
    for number in range(int(given_rounds)):
        write_and_die(given_log, given_writer, f"{given_writer} {number}")
