"""Which brokers of an input are asked, and as whom."""

import socket

import pytest

from coordstream.cli.startpoint.input_system import InputUnknown, input_options, open_input
from eventlog.kafka.options import KafkaOptions

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


def test_the_jobs_config_says_where_an_input_is() -> None:
    assert input_options(CONFIG, "kafka", None) == KafkaOptions("c:1")
    assert input_options({**FACTORY, "systems.kafka.producer.bootstrap.servers": "p:1"}, "kafka", None) == KafkaOptions(
        "p:1"
    )
    assert input_options(CONFIG, "kafka", "g:1,h:2") == KafkaOptions("g:1,h:2")


def test_who_we_are_is_told_to_brokers_only_that_the_user_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "own:1")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"client_id": "us"}')
    own = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": "own:1"}
    assert input_options(own, "kafka", None).client_options == {"client_id": "us"}
    assert input_options(CONFIG, "kafka", None).client_options == {}
    assert input_options(CONFIG, "kafka", "g:1").client_options == {"client_id": "us"}
    assert input_options(CONFIG, "kafka", "g:1").bootstrap_servers == "g:1"


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({}, "does not say where system kafka is: give --input-bootstrap-servers"),
        ({"systems.kafka.samza.factory": "x.Factory"}, "system kafka is no Kafka, and others can't be asked"),
    ],
)
def test_what_cant_be_asked_is_told(config: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputUnknown, match=sentence):
        input_options(config, "kafka", None)


def test_where_nobody_answers_one_does_not_wait_long() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with (
        pytest.raises(InputUnknown, match=f"nobody answers at 127.0.0.1:{port}"),
        open_input({}, "k", f"127.0.0.1:{port}"),
    ):
        pytest.fail("there is nobody")


@pytest.mark.parametrize("server", ["a..b:9092", f"{'x' * 64}.example:9092", "127.0.0.1:99999"])
def test_an_address_that_no_host_can_have_answers_as_little(server: str) -> None:
    config = {**FACTORY, "systems.kafka.consumer.bootstrap.servers": server}
    with pytest.raises(InputUnknown, match=f"nobody answers at {server}"), open_input(config, "kafka"):
        pytest.fail("there is nobody")
