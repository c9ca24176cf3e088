"""What was written is there, also if the writer is killed the moment the call returns."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from eventlog.wire import checkpoint_topic, coordinator
from tests.acceptance.torture import scaled
from tests.managers.killed_writer import DELETES, WRITERS
from tests.managers.log_makers import KafkaLogs, LogMaker, PostgresLogs

ROUNDS: Final = {"postgres": scaled(4, 50), "kafka": scaled(3, 50)}
SECONDS: Final = 300


def place_of(logs: LogMaker) -> str:
    if isinstance(logs, KafkaLogs):
        return logs.options.bootstrap_servers
    assert isinstance(logs, PostgresLogs)
    return logs.database_url


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.scenario("PRO-05", "KCM-12", "CKM-05")
@pytest.mark.parametrize("logs", ["postgres", pytest.param("kafka", marks=pytest.mark.kafka)], indirect=True)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_write_survives_its_writer(logs: LogMaker, writer: str) -> None:
    is_topic, rounds = writer.startswith("KafkaCheckpointManager"), ROUNDS[logs.backend]
    log = logs.create("checkpoint" if is_topic else "coordinator")
    words = (logs.backend, place_of(logs), log.stream_name, writer, str(rounds))
    command = [sys.executable, "-m", "tests.managers.killed_writer", *words]
    subprocess.run(command, check=True, timeout=SECONDS, cwd=Path(__file__).parents[2])
    decode = checkpoint_topic.decode_key if is_topic else coordinator.decode_key
    last = {decode(event.key)[1 if is_topic else 2]: event.value for event in log.read()}
    assert list(last) == [f"{writer} {number}" for number in range(rounds)]
    assert {value is None for value in last.values()} == {writer in DELETES}
