"""A written checkpoint survives if its writer is killed as soon as the call returns."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.streams import StreamKind
from eventlog.wire import checkpoint_topic, coordinator
from tests.acceptance.torture import scaled
from tests.managers.killed_checkpoint_writer import PARTITION, TASK, manager_of
from tests.managers.log_makers import KafkaLogs, LogMaker, PostgresLogs

ROUNDS: Final = {"postgres": scaled(4, 50), "kafka": scaled(3, 50)}
SECONDS: Final = 300


def place_of(logs: LogMaker) -> str:
    """How another process opens the logs."""
    if isinstance(logs, KafkaLogs):
        return logs.options.bootstrap_servers
    assert isinstance(logs, PostgresLogs)
    return logs.database_url


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.scenario("KCM-12", "CKM-05")
@pytest.mark.parametrize("logs", ["postgres", pytest.param("kafka", marks=pytest.mark.kafka)], indirect=True)
@pytest.mark.parametrize(
    ("manager", "kind"), [("CheckpointManager", "coordinator"), ("KafkaCheckpointManager", "checkpoint")]
)
def test_a_checkpoint_survives_its_writer(logs: LogMaker, manager: str, kind: StreamKind) -> None:
    log, rounds = logs.create(kind), ROUNDS[logs.backend]
    words = (logs.backend, place_of(logs), log.stream_name, manager, str(rounds))
    command = [sys.executable, "-m", "tests.managers.killed_checkpoint_writer", *words]
    subprocess.run(command, check=True, timeout=SECONDS, cwd=Path(__file__).parents[3])
    events = list(log.read())
    decode_key = coordinator.decode_key if kind == "coordinator" else checkpoint_topic.decode_key
    assert len({decode_key(event.key) for event in events}) == 1
    assert len(events) == rounds
    reader = manager_of(log, manager)
    reader.register(TASK)
    with reader:
        assert reader.read_last_checkpoint(TASK) == CheckpointV1({PARTITION: str(rounds - 1)})
