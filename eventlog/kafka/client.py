"""Clients of kafka-python, and their errors as those of an event source."""

import logging
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, TypeVar

from kafka import KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    IllegalSaslStateError,
    IncompatibleBrokerVersion,
    KafkaConfigurationError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
)
from kafka.net.sasl.oauth import AbstractTokenProvider

from eventlog.backoff import Backoff, RetryDeadline
from eventlog.errors import EventLogError
from eventlog.kafka.options import OAUTH_PROVIDER, KafkaOptions, OptionRefused
from eventlog.kafka.patches import NetClient, NoLeader, make_net_client
from eventlog.source import Closing, CredentialsRefused, SourceUnavailable, StreamUnavailable

PRIVATE_LOGGERS: Final = (
    "kafka.admin.client",  # its configuration, with passwords
    "kafka.net.connection",  # requests and responses with their records, and credentials
    "kafka.producer.kafka",  # each record's key, value and headers
    "kafka.producer.sender",  # requests to produce
    "kafka.protocol.parser",  # the same; at ERROR also bytes that it could not decode
)


def filter_private_loggers() -> None:
    """Let these loggers log only messages at INFO and above without bytes; do not change other loggers."""
    for name in PRIVATE_LOGGERS:
        logging.getLogger(name).addFilter(_has_no_data)  # adding it twice changes nothing


def _has_no_data(record: logging.LogRecord) -> bool:
    values = record.args if isinstance(record.args, tuple) else ()
    return record.levelno >= logging.INFO and not any(isinstance(value, bytes | bytearray) for value in values)


def tls_context(client_options: Mapping[str, Any]) -> ssl.SSLContext:
    """The TLS context for the options ``ssl_*``. Raises `OptionRefused`."""
    given = client_options.get
    try:
        context = ssl.create_default_context(cafile=given("ssl_cafile"))
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = given("ssl_check_hostname", True)
        if certificate := given("ssl_certfile"):
            context.load_cert_chain(certificate, given("ssl_keyfile"), given("ssl_password", ""))
        if revoked := given("ssl_crlfile"):
            context.load_verify_locations(revoked)
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    except (OSError, ValueError) as error:
        reason = type(error).__name__
        raise OptionRefused(
            f"The files of ssl_cafile, ssl_certfile, ssl_keyfile and ssl_crlfile cannot be used ({reason}). "
            "Check that they are PEM files, and that ssl_password is that of the key."
        ) from None
    return context


class TokenProvider(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """The tokens of a provider of the user's; if it fails, the error does not show its text, which may be a secret."""

    def __init__(self, path: str) -> None:
        """``path``: a class with the methods of kafka-python's AbstractTokenProvider, such as ``package.module.Class``.

        Raises `OptionRefused`: it cannot be imported, or creating an object of it without arguments fails.
        """
        module, _, name = path.rpartition(".")
        try:
            self._provider: Any = getattr(import_module(module), name)()
        except Exception as error:  # any code of the user's
            raise OptionRefused(
                f"The class of the Kafka option '{OAUTH_PROVIDER}' cannot be used ({type(error).__name__}). "
                "Expected one that can be imported, such as package.module.Class."
            ) from None

    def token(self) -> str:
        """The token for a login. Raises KafkaConnectionError."""
        try:
            return str(self._provider.token())
        except Exception as error:  # any code of the user's
            raise KafkaConnectionError(f"the token provider failed: {type(error).__name__}") from None

    def extensions(self) -> Mapping[str, str]:
        """More values for the brokers."""
        extensions: Mapping[str, str] = getattr(self._provider, "extensions", dict)()
        return extensions


REACH_SECONDS: Final = 5.0
"""How long requests to a broker that does not answer are retried; a restart takes 2 s."""

RETRY_SECONDS: Final = 0.1
TIMES: Final[dict[str, int]] = {
    "bootstrap_timeout_ms": int(REACH_SECONDS * 1000),
    "request_timeout_ms": int(REACH_SECONDS * 1000),
    "retry_backoff_ms": 50,
    "reconnect_backoff_ms": 50,
    "reconnect_backoff_max_ms": 1000,  # a broker that is back is found within a second, even after a long outage
    "metadata_max_age_ms": 30_000,
}

Answer = TypeVar("Answer")


class BrokerTooOld(EventLogError):
    """The brokers do not support a request of ours."""


@dataclass
class Connected:
    """A client of kafka-python with its network client; ``net.cluster`` is its metadata of the cluster."""

    client: Any = None
    net: Any = None
    failure: Exception | None = None
    """Why no connection was established: the last failure that says why, or a refused login if there was one."""

    def make_net(self, **config: Any) -> Any:
        """The ``kafka_client`` factory that kafka-python calls when it creates a client."""
        self.net = net = make_net_client(self._remember, **config)
        # otherwise a metadata request re-creates a deleted topic, on clusters that allow that
        net.cluster.config["allow_auto_create_topics"] = False
        net.cluster.config["retry_backoff_ms"] = config["retry_backoff_ms"]  # kafka-python does not set it
        return net

    def _remember(self, error: Exception) -> None:
        if self.failure is None or not (
            _is_refusal(self.failure) or _is_broken_off(self.failure) or isinstance(error, KafkaTimeoutError)
        ):
            self.failure = error


def connect(make: Callable[..., Any], options: KafkaOptions, **settings: Any) -> Connected:
    """Create a client and connect it.

    Raises `SourceUnavailable`: no broker answers, or the login is refused; `BrokerTooOld`; `OptionRefused`: the files
    for an encrypted connection or the token provider cannot be used.
    """
    filter_private_loggers()
    connected = Connected()
    config = {**TIMES, **options.client_config(), **settings}
    if config.get("security_protocol") in {"SSL", "SASL_SSL"}:
        config["ssl_context"] = tls_context(config)
    if OAUTH_PROVIDER in config:
        config[OAUTH_PROVIDER] = TokenProvider(config[OAUTH_PROVIDER])
    try:
        connected.client = make(kafka_client=connected.make_net, **config)
    except BaseException as error:
        if connected.net is not None:
            connected.net.close()  # otherwise its thread continues without a client
        if isinstance(error, KafkaError):
            raise _not_connected(options, connected.failure or error) from error
        raise
    return connected


def connect_network(options: KafkaOptions, **settings: Any) -> NetClient:
    """The connections alone, without one of kafka-python's clients. Raises as `connect`."""
    connected: NetClient = connect(_start, options, **settings).client
    return connected


def _start(kafka_client: Callable[..., NetClient], **config: Any) -> NetClient:
    net = kafka_client(**config)
    net.selector.start()
    net.manager.bootstrap(config["bootstrap_timeout_ms"])
    return net


class AdminClient(Closing):
    """An admin client that connects when it is first used. Not safe for threads; a context manager."""

    _make_client: Callable[..., Any] = KafkaAdminClient

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._connected: Connected | None = None

    def close(self) -> None:
        if self._connected is not None:
            self._connected.client.close()
            self._connected = None

    @property
    def _client(self) -> Any:
        return self._connect().client

    def _connect(self) -> Connected:
        if self._connected is None:
            self._connected = connect(self._make_client, self._options)
        return self._connected


@contextmanager
def translate_errors(options: KafkaOptions) -> Iterator[None]:
    """Raise errors of kafka-python as `SourceUnavailable` or `BrokerTooOld`."""
    try:
        yield
    except KafkaError as error:
        raise _describe(options, error) from error


def _not_connected(options: KafkaOptions, error: Exception) -> EventLogError:
    if _is_broken_off(error) and "sasl_mechanism" in options.client_options:
        return CredentialsRefused(f"{options.place} closed the connection during login. Check the user and password.")
    if "sasl_mechanism" in options.client_options and not isinstance(error, KafkaError | OSError):
        failure = f"The login to {options.place} failed before it was sent ({type(error).__name__})"
        return CredentialsRefused(f"{failure}. Check where the credentials come from.")
    return _describe(options, error)


def _describe(options: KafkaOptions, error: Exception) -> EventLogError:
    """The error with the address of the cluster, and without the text of brokers, which may contain a secret."""
    place = options.place
    reason = type(error).__name__.removesuffix("Error")
    if _is_refusal(error):
        return CredentialsRefused(f"{place} refused access ({reason}). Check the user, password and permissions.")
    if isinstance(error, IllegalSaslStateError):
        return CredentialsRefused(f"{place} refused access ({reason}). Compare security_protocol with the listener's.")
    if isinstance(error, NoLeader):
        return StreamUnavailable(error.topics, place)
    if isinstance(error, IncompatibleBrokerVersion):  # its text is that of kafka-python
        problem = " ".join(map(str, error.args))
        return BrokerTooOld(f"{place} does not support a request: {problem} Use brokers of Kafka 2.8 or later.")
    if isinstance(error, KafkaConnectionError | KafkaConfigurationError) and error.args:
        reason = str(error.args[0])
    return unavailable(options, reason)


def unavailable(options: KafkaOptions, reason: str) -> SourceUnavailable:
    """The error of a cluster that does not answer. The reason is ours: the text of brokers may contain a secret."""
    return SourceUnavailable(
        f"{options.place} does not answer ({reason}). Check that its brokers run and can be reached."
    )


def _is_refusal(error: Exception) -> bool:
    return isinstance(error, AuthorizationError | SaslAuthenticationFailedError | UnsupportedSaslMechanismError)


def is_final(error: Exception) -> bool:
    """Whether a request that failed would fail again."""
    return _is_refusal(error) or isinstance(error, IncompatibleBrokerVersion)


def _is_broken_off(error: Exception) -> bool:
    """Whether the broker closed the connection; kafka-python drops the reason."""
    return isinstance(error, KafkaConnectionError) and "socket disconnected" in map(str, error.args)


def ask(
    options: KafkaOptions,
    question: Callable[[], Answer],
    *,
    answers: tuple[type[KafkaError], ...] = (),
    leader_seconds: float = REACH_SECONDS,
) -> Answer:
    """Call ``question``, again for `REACH_SECONDS` unless it raises one of ``answers``. Raises `SourceUnavailable`.

    ``leader_seconds``: how long to retry while topics have no leader; then `StreamUnavailable` is raised.
    """
    reach, led = map(_deadline, (REACH_SECONDS, leader_seconds))
    while True:
        try:
            return _ask_once(options, question, answers)
        except CredentialsRefused:
            raise
        except SourceUnavailable as error:
            deadline = led if isinstance(error, StreamUnavailable) else reach
            if deadline.is_over:
                raise
        deadline.wait()


def _deadline(seconds: float) -> RetryDeadline:
    return RetryDeadline(seconds, Backoff(first_seconds=RETRY_SECONDS, longest_seconds=RETRY_SECONDS))


def _ask_once(options: KafkaOptions, question: Callable[[], Answer], answers: tuple[type[KafkaError], ...]) -> Answer:
    with translate_errors(options):
        try:
            return question()
        except answers as answer:
            given = answer
    raise given
