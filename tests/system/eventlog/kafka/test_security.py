"""Kafka's options of security, against a broker that asks for them."""

import logging
from collections.abc import Callable, Iterator

import pytest
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType

from eventlog.kafka import client
from eventlog.kafka.consumer_groups import ConsumerGroups, GroupOffset
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.partition import SystemStreamPartition
from eventlog.source import CredentialsRefused, EventSource, SourceUnavailable, StreamRefused
from eventlog.startpoint import StartpointTimestamp, StartpointUpcoming
from eventlog.streams import identify
from tests.contracts.event_log import new_events
from tests.contracts.followed import Followed, offsets
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_broker import KafkaBroker
from tests.fixtures.kafka_security import USER, SecuredListeners
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until

#: Whether the client learns the reason depends on how fast the broker hangs up.
REFUSED = r"closed the connection during login|refused access \(SaslAuthenticationFailed\)\. Check the user"

TOKENS = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "OAUTHBEARER",
    "sasl_oauth_token_provider": "tests.fixtures.kafka_security.UnsecuredTokens",
}


@pytest.fixture(scope="module")
def security() -> SecuredListeners:
    return SecuredListeners()


@pytest.fixture(scope="module")
def broker(start_broker: BrokerMaker, security: SecuredListeners) -> Iterator[KafkaBroker]:
    """A broker with listeners that are open, and others that are not."""
    with start_broker(security=security) as broker:
        yield broker


@pytest.fixture(scope="module")
def topics(broker: KafkaBroker) -> Iterator[Topics]:
    """The operator's hands, by way of the open listener."""
    with Topics(broker.bootstrap_servers) as topics:
        yield topics


@pytest.fixture
def options(broker: KafkaBroker, security: SecuredListeners) -> Callable[..., KafkaOptions]:
    """Options for a listener, right but for what is changed."""

    def make(protocol: str, **changed: str) -> KafkaOptions:
        return KafkaOptions.parse(broker.address(protocol), {**security.options(protocol), **changed})

    return make


@pytest.mark.parametrize("protocol", [*SecuredListeners.listeners, "tokens"])
def test_who_proves_himself_reads_and_writes(
    broker: KafkaBroker, options: Callable[..., KafkaOptions], topics: Topics, job_name: str, protocol: str
) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1")
    is_token = protocol == "tokens"
    given = KafkaOptions.parse(broker.address("SASL_PLAINTEXT"), TOKENS) if is_token else options(protocol)
    with KafkaEventLog(given, identify(name)) as log, KafkaSource(given) as source:
        assert log.append(new_events(2)) == range(2)
        assert source.describe(name).end_offset == 2
        source.assign({name: 0})
        assert offsets(Followed(source).until(name, 2)) == [0, 1]
        assert offsets([*log.read()]) == offsets([*source.read(name, 0, 2)]) == [0, 1]


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("NoTokens", r"does not answer \(the token provider failed: RuntimeError\)"),
        ("NoExtensions", r"^The login to Kafka at .* failed before it was sent \(ZeroDivisionError\)\. Check where"),
    ],
)
def test_a_token_provider_that_fails_is_reported(
    broker: KafkaBroker, provider: str, reason: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(client.TIMES, "bootstrap_timeout_ms", 700)
    failing = {**TOKENS, "sasl_oauth_token_provider": f"tests.fixtures.kafka_security.{provider}"}
    with (
        KafkaSource(KafkaOptions.parse(broker.address("SASL_PLAINTEXT"), failing)) as source,
        pytest.raises(SourceUnavailable, match=reason),
    ):
        source.stream_names()
    assert "a secret" not in caplog.text


def test_a_wrong_password_is_reported_and_never_shown(
    options: Callable[..., KafkaOptions], security: SecuredListeners, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = f"{security.password}-wrong"
    with (
        KafkaSource(options("SASL_PLAINTEXT", sasl_plain_password=wrong)) as source,
        pytest.raises(CredentialsRefused, match=REFUSED) as raised,
    ):
        source.stream_names()
    assert security.password not in f"{raised.value!r}{caplog.text}"


@pytest.mark.parametrize(
    ("protocol", "options", "reason"),
    [
        ("SASL_PLAINTEXT", {}, "does not answer"),
        ("SSL", {}, "does not answer"),
        (
            "SSL",
            {"security_protocol": "SSL"},
            r"does not answer \(Handshake failed: .*CERTIFICATE_VERIFY_FAILED.*\)\. Check",
        ),
        ("PLAINTEXT", TOKENS, r"refused access \(IllegalSaslState\)\. Compare security_protocol"),
    ],
    ids=["no password", "no encryption", "an unknown authority", "a password for an open listener"],
)
def test_who_comes_otherwise_is_not_let_in(
    broker: KafkaBroker, protocol: str, options: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(client.TIMES, "bootstrap_timeout_ms", 1000)
    monkeypatch.setattr(client, "REACH_SECONDS", 1.0)
    with (
        KafkaSource(KafkaOptions.parse(broker.address(protocol), options)) as source,
        pytest.raises(SourceUnavailable, match=reason),
    ):
        source.stream_names()


class TestAccess:
    """Without rights a stream is refused, and the others go on."""

    def test_a_stream_that_may_not_be_seen(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        name = self.restricted(topics, job_name, [])
        other = topics.create(f"__samza_coordinator_{job_name}-other_1")
        with KafkaSource(options("SASL_PLAINTEXT")) as source:
            with pytest.raises(StreamRefused, match=f"{name} cannot be followed: Kafka at .* denies access to it"):
                source.describe(name)
            assert source.end_offsets([name, other]) == {other: 0}

    def test_a_stream_that_may_not_be_read(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        name = self.restricted(topics, job_name, [ACLOperation.DESCRIBE, ACLOperation.DESCRIBE_CONFIGS])
        other = topics.create(f"__samza_coordinator_{job_name}-other_1")
        topics.write(name, new_events(1))
        with KafkaSource(options("SASL_PLAINTEXT")) as source:
            assert [source.describe(each).end_offset for each in (name, other)] == [1, 0]
            source.assign({name: 0, other: 0})
            with pytest.raises(StreamRefused, match=r"the cluster denies access to it\. Grant the user the permission"):
                wait_until(lambda: self.poll(source), what="the refusal")
            topics.write(other, new_events(1))
            assert offsets(Followed(source).until(other, 1)) == [0]
            granted = [ACLOperation.DESCRIBE, ACLOperation.DESCRIBE_CONFIGS, ACLOperation.READ]
            self.restrict(topics, ResourceType.TOPIC, name, granted)
            source.assign({name: 0, other: 1})
            assert offsets(Followed(source).until(name, 1)) == [0]

    def test_an_input_that_may_not_be_seen(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        name = self.restricted(topics, job_name, [])
        with KafkaSystemAdmin(options("SASL_PLAINTEXT")) as admin:
            for ask in (
                lambda: admin.resolve_startpoints({SystemStreamPartition("input", name, 0): StartpointUpcoming(1)}),
                lambda: admin.get_system_stream_metadata([name]),
            ):
                with pytest.raises(CredentialsRefused, match=f"Kafka at .* denies access to {name}. Grant"):
                    ask()

    def test_settings_that_may_not_be_seen(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        name = self.restricted(topics, job_name, [ACLOperation.DESCRIBE, ACLOperation.READ])
        with KafkaSource(options("SASL_PLAINTEXT")) as source:
            facts = source.describe(name)
        assert "no permission to read whether it is compacted" in facts.warning
        assert facts.delete_retention_ms is None

    def test_the_documented_permissions_to_write(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        allowed = [ACLOperation.DESCRIBE, ACLOperation.READ, ACLOperation.DESCRIBE_CONFIGS, ACLOperation.WRITE]
        name = self.restricted(topics, job_name, allowed)
        with KafkaEventLog(options("SASL_PLAINTEXT"), identify(name)) as log:
            assert log.append(new_events(2)) == range(2)
            assert offsets([*log.read()]) == [0, 1]

    def test_the_documented_permissions_on_inputs(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        name = self.restricted(topics, job_name, [ACLOperation.DESCRIBE])
        topics.write(name, new_events(2))
        page_views = SystemStreamPartition("input", name, 0)
        with KafkaSystemAdmin(options("SASL_PLAINTEXT")) as admin:
            assert admin.get_system_stream_metadata([name])[name].partitions[0].upcoming_offset == "2"
            assert admin.resolve_startpoint_to_offset(page_views, StartpointTimestamp(0, 1)) == "0"

    def test_the_documented_permissions_on_consumer_groups(
        self, options: Callable[..., KafkaOptions], topics: Topics, job_name: str
    ) -> None:
        name = self.restricted(topics, job_name, [ACLOperation.DESCRIBE, ACLOperation.READ])
        group = f"samza.{job_name}.1"
        self.restrict(topics, ResourceType.GROUP, group, [ACLOperation.DESCRIBE, ACLOperation.READ])
        with ConsumerGroups(options("SASL_PLAINTEXT")) as groups:
            assert groups.commit(group, {(name, 0): GroupOffset(7, "")}) == {}
            assert groups.offsets(group) == {(name, 0): GroupOffset(7, "")}

    def restricted(self, topics: Topics, job_name: str, allowed: list[ACLOperation]) -> str:
        """A topic with an access list that grants our user so much."""
        name = topics.create(f"__samza_coordinator_{job_name}_1")
        self.restrict(topics, ResourceType.TOPIC, name, allowed)
        return name

    def restrict(self, topics: Topics, kind: ResourceType, name: str, allowed: list[ACLOperation]) -> None:
        pattern = ResourcePattern(kind, name)
        grants = [(f"User:{USER}", operation) for operation in allowed] + [("User:other", ACLOperation.READ)]
        topics.restrict([ACL(who, "*", what, ACLPermissionType.ALLOW, pattern) for who, what in grants])

    def poll(self, source: EventSource) -> bool:
        assert source.poll(0.1) == []
        return False
