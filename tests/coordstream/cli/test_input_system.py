"""The brokers of an input, and the credentials they get."""

import socket
from threading import Barrier

import pytest

from coordstream.cli import input_system
from coordstream.cli.input_system import InputUnknown, OpenInputs, input_options, open_input
from eventlog.kafka.options import KafkaOptions
from tests.fixtures.waiting import PATIENCE

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
    assert input_options(CONFIG, "kafka", None) == KafkaOptions("c:1")
    assert input_options({**FACTORY, "systems.kafka.producer.bootstrap.servers": "p:1"}, "kafka", None) == KafkaOptions(
        "p:1"
    )
    assert input_options(CONFIG, "kafka", "g:1,h:2") == KafkaOptions("g:1,h:2")


def test_credentials_are_sent_only_to_brokers_that_the_user_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "own:1")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"client_id": "us"}')
    own = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": "own:1"}
    assert input_options(own, "kafka", None).client_options == {"client_id": "us"}
    assert input_options(CONFIG, "kafka", None).client_options == {}
    assert input_options(CONFIG, "kafka", "g:1").client_options == {"client_id": "us"}
    assert input_options(CONFIG, "kafka", "g:1").bootstrap_servers == "g:1"


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
    with pytest.raises(InputUnknown, match="System kafka is not Kafka"):
        input_options({"systems.kafka.samza.factory": "x.Factory"}, "kafka", None)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({}, "has no brokers for system kafka. Use --input-bootstrap-servers."),
        ({"systems.kafka.samza.factory": "x.Factory"}, "System kafka is not Kafka. Only Kafka inputs are supported."),
    ],
)
def test_unknown_inputs_are_refused(config: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputUnknown, match=sentence):
        input_options(config, "kafka", None)


def test_without_the_option_for_brokers_the_config_is_the_place_to_name_them() -> None:
    with pytest.raises(InputUnknown) as unknown:
        input_options({}, "kafka", None)
    assert unknown.value.without_option == (
        "The job's config has no brokers for system kafka. "
        "Set systems.kafka.consumer.bootstrap.servers with `coordstream config set`."
    )


def test_an_unreachable_broker_costs_little_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with (
        pytest.raises(InputUnknown, match=f"No broker answers at 127.0.0.1:{port}"),
        open_input({}, "k", f"127.0.0.1:{port}"),
    ):
        pytest.fail("it connected")


@pytest.mark.parametrize("server", ["a..b:9092", f"{'x' * 64}.example:9092"])
def test_an_impossible_address_is_unreachable(server: str) -> None:
    config = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": server}
    with pytest.raises(InputUnknown, match=f"No broker answers at {server}"), open_input(config, "kafka"):
        pytest.fail("it connected")


@pytest.mark.parametrize("server", ["127.0.0.1:99999", "kafka:port", "u:secret@kafka:9092"])
def test_an_invalid_address_in_the_config_of_a_job_is_its_error(server: str) -> None:
    config = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": server}
    with (
        pytest.raises(InputUnknown, match=r"^Invalid value of systems\.kafka\.consumer\.bootstrap\.servers ") as raised,
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
    with pytest.raises(InputUnknown, match="No broker answers at a:1,b:1,c:1"), open_input({}, "kafka", "a:1,b:1,c:1"):
        pytest.fail("it connected")
