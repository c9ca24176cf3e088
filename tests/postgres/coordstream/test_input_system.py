"""The brokers of an input, and the credentials they get."""

import socket
from threading import Barrier, Event

import pytest

from coordstream import input_system
from coordstream.input_system import InputUnknown, OpenInputs, input_options, observing_inputs
from eventlog.kafka.options import KafkaOptions
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.waiting import PATIENCE, wait_until

FACTORY = {"systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory"}
CONFIG = {
    **FACTORY,
    "systems.kafka.consumer.bootstrap.servers": "c:1",
    "systems.kafka.producer.bootstrap.servers": "p:1",
}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No settings of the user's."""
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))
    for name in ("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "COORDSTREAM_KAFKA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)


pytestmark = pytest.mark.usefixtures("settings")


def test_the_jobs_config_has_the_brokers_of_an_input() -> None:
    producer = {**FACTORY, "systems.kafka.producer.bootstrap.servers": "p:1"}
    assert input_options(CONFIG, "kafka", None) == KafkaOptions("c:1")
    assert input_options(producer, "kafka", None) == KafkaOptions("p:1")
    assert input_options(CONFIG, "kafka", "g:1,h:2") == KafkaOptions("g:1,h:2")


def test_credentials_are_sent_only_to_brokers_that_the_user_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "own:1")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"client_id": "us"}')
    monkeypatch.setenv("COORDSTREAM_KAFKA_MAX_BATCH_BYTES", "1000")
    own = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": "own:1"}
    assert input_options(own, "kafka", None).client_options == {"client_id": "us"}
    assert input_options(CONFIG, "kafka", None).client_options == {}
    assert input_options(CONFIG, "kafka", "g:1").client_options == {"client_id": "us"}
    assert input_options(CONFIG, "kafka", "g:1").bootstrap_servers == "g:1"
    assert [input_options(CONFIG, "kafka", given).max_batch_bytes for given in (None, "g:1")] == [1000, 1000]


def test_the_settings_have_the_brokers_of_the_jobs_own_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "own:1")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"client_id": "us"}')
    own = KafkaOptions("own:1", {"client_id": "us"})
    for key in ("job.coordinator.system", "job.default.system"):
        config = {key: "kafka"}
        assert input_options(config, "kafka", None) == own
        with pytest.raises(InputUnknown, match="has no brokers for system other"):
            input_options(config, "other", None)
    assert input_options({}, "kafka", None) == own
    assert input_options(CONFIG, "kafka", None) == KafkaOptions("c:1")
    with pytest.raises(InputUnknown, match=r"kafka\.samza\.factory is 'x\.Factory'\. Only"):
        input_options({"systems.kafka.samza.factory": "x.Factory"}, "kafka", None)


def test_an_unreachable_broker_costs_little_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(InputUnknown, match=f"No broker answers at 127.0.0.1:{port}"), OpenInputs() as inputs:
        inputs.admin({}, "k", f"127.0.0.1:{port}")


@pytest.mark.parametrize("server", ["127.0.0.1:99999", "kafka:port", "u:secret@kafka:9092"])
def test_an_invalid_address_in_the_config_of_a_job_is_its_error(server: str) -> None:
    config = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": server}
    with (
        pytest.raises(InputUnknown, match=r"^Bootstrap server 1 .* Correct systems\.kafka\.consumer\.bo") as raised,
        OpenInputs() as inputs,
    ):
        inputs.admin(config, "kafka")
    assert "secret" not in str(raised.value)


def test_a_cluster_that_does_not_answer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answers(server: str) -> bool:
        asked.append(server)
        return False

    monkeypatch.setattr(input_system, "_answers", answers)
    with OpenInputs() as inputs:
        for _ in range(3):
            with pytest.raises(InputUnknown, match="No broker answers at c:1"):
                inputs.admin(CONFIG, "kafka")
    assert asked == ["c:1"]


def test_all_brokers_of_a_cluster_are_asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    together = Barrier(3)
    monkeypatch.setattr(input_system, "_answers", lambda _: together.wait(PATIENCE) < 0)
    with pytest.raises(InputUnknown, match="No broker answers at a:1,b:1,c:1"), OpenInputs() as inputs:
        inputs.admin({}, "kafka", "a:1,b:1,c:1")


OBSERVATIONS = "select count(distinct observed_at), count(end_offset) from coordinator.input_bound"


def test_an_outage_of_the_inputs_is_reported_once_and_stored_as_unknown(
    wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        input_system, "_FOLLOWED", "select distinct job_name, job_id from projection.job_log order by 1, 2"
    )
    reported: list[str] = []
    with observing_inputs(wordcount.database_url, 0.01, reported.append):
        wait_until(lambda: wordcount.ask(OBSERVATIONS)[0][0] >= 3, what="three observations")
    assert wordcount.ask(OBSERVATIONS)[0][1] == 0
    (sentence,) = reported
    assert sentence.startswith("Cannot ask the inputs of wordcount_pv/1: kafka: No broker answers at 127.0.0.1:19092.")


def test_an_outage_of_the_database_is_reported_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    with observing_inputs("postgresql://127.0.0.1:1/none", 0.01, reported.append):
        wait_until(lambda: bool(reported), what="the report")
    assert len(reported) == 1
    assert reported[0].startswith("Cannot observe the inputs: ")


def test_an_observer_that_hangs_does_not_keep_a_follower_from_stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging, go_on = Event(), Event()

    def hang(_: str) -> list[str]:
        hanging.set()
        go_on.wait(PATIENCE)
        return []

    monkeypatch.setattr(input_system, "_STOP_SECONDS", 0.01)
    monkeypatch.setattr(input_system, "observe_once", hang)
    with observing_inputs("", 0.01, pytest.fail):
        assert hanging.wait(PATIENCE)
    assert not go_on.is_set()
    go_on.set()
