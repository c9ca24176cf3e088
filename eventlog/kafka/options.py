"""The addresses of a Kafka cluster, and kafka-python's options for security."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from eventlog.errors import EventLogError
from eventlog.frozen_dict import FrozenFields

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER", "AWS_MSK_IAM")
CLIENT_ID: Final = "coordstream"
MAX_BATCH_BYTES: Final = 64 << 20
"""Brokers accept batches of 1 MB by default (max.message.bytes); a few kilobytes can unpack to gigabytes."""
MAX_BATCH_VARIABLE: Final = "COORDSTREAM_KAFKA_MAX_BATCH_BYTES"

OAUTH_PROVIDER: Final = "sasl_oauth_token_provider"
"""The option with the path of a class, which a client creates an object of."""

_SERVER: Final = re.compile(r"(?:\[[^\s\[\]]+\]|[^\s:/@\[\]]+):([0-9]{1,5})")
_PORTS: Final = range(1, 2**16)
_BOOLEANS: Final = {"true": True, "false": False}


class _Hidden(str):
    """A text that is hidden in logs."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


class OptionRefused(EventLogError):
    """An option for Kafka is invalid."""


class BrokersMissing(EventLogError):
    """No Kafka brokers are set. Set COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS."""


@dataclass(frozen=True)
class KafkaOptions(FrozenFields):
    """The address of a cluster and the options of its clients; ``str`` and ``repr`` show no value of an option.

    ``bootstrap_servers`` is a comma-separated list of ``host:port``; ``client_options`` are kafka-python's, the same
    for consumers, producers and admin clients. A stream with a batch that unpacks to more than ``max_batch_bytes`` is
    refused.
    """

    bootstrap_servers: str
    client_options: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    max_batch_bytes: int = field(default=MAX_BATCH_BYTES, repr=False)

    @classmethod
    def parse(cls, bootstrap_servers: str, options: Mapping[str, str] | None = None) -> Self:
        """Parse options by kafka-python's names. Raises `OptionRefused`."""
        servers = [server.strip() for server in bootstrap_servers.split(",")]
        for number in (each for each, server in enumerate(servers, 1) if not _is_server(server)):  # may have a password
            raise OptionRefused(f"Bootstrap server {number} is invalid. Expected a comma-separated list of host:port.")
        given = options or {}
        if unknown := given.keys() - _PARSERS.keys():
            raise OptionRefused(f"Unknown Kafka option {min(unknown)!r}. Expected one of {', '.join(_PARSERS)}.")
        parsed = {name: _PARSERS[name](name, text) for name, text in given.items()}
        _check_together(parsed)
        return cls(",".join(servers), parsed)

    @property
    def place(self) -> str:
        return f"Kafka at {self.bootstrap_servers}"

    def client_config(self) -> dict[str, Any]:
        """The arguments of a client of kafka-python."""
        servers = {"client_id": CLIENT_ID, "bootstrap_servers": self.bootstrap_servers.split(",")}
        return {**servers, **self.client_options}


def _is_server(text: str) -> bool:
    found = _SERVER.fullmatch(text)
    return found is not None and int(found[1]) in _PORTS


def require_brokers(options: KafkaOptions | None) -> KafkaOptions:
    """The options. Raises BrokersMissing: there are none."""
    if options is None:
        raise BrokersMissing
    return options


def _text(name: str, text: str) -> str:
    if not text:
        raise OptionRefused(f"The Kafka option '{name}' is empty. Set a value, or leave it out.")
    return text


def _secret(name: str, text: str) -> str:
    return _Hidden(_text(name, text))


def _file(name: str, text: str) -> str:
    if not Path(text).is_file():
        raise OptionRefused(f"The file of the Kafka option '{name}' does not exist. Correct the path.")
    return text


def _boolean(name: str, text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise OptionRefused(f"Invalid value of the Kafka option '{name}'. Expected true or false.")
    return _BOOLEANS[text.lower()]


def _one_of(*words: str) -> Callable[[str, str], str]:
    def parse(name: str, text: str) -> str:
        if text.upper() not in words:
            raise OptionRefused(f"Invalid value of the Kafka option '{name}'. Expected one of {', '.join(words)}.")
        return text.upper()

    return parse


_PARSERS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "client_id": _text,
    "sasl_kerberos_domain_name": _text,
    "sasl_kerberos_service_name": _text,
    "sasl_mechanism": _one_of(*MECHANISMS),
    OAUTH_PROVIDER: _text,
    "sasl_plain_password": _secret,
    "sasl_plain_username": _text,
    "security_protocol": _one_of(*PROTOCOLS),
    "ssl_cafile": _file,
    "ssl_certfile": _file,
    "ssl_check_hostname": _boolean,
    "ssl_crlfile": _file,
    "ssl_keyfile": _file,
    "ssl_password": _secret,
}


_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {"GSSAPI": (), "OAUTHBEARER": (OAUTH_PROVIDER,), "AWS_MSK_IAM": ()}


def _check_together(options: Mapping[str, Any]) -> None:
    protocol = options.get("security_protocol", "PLAINTEXT")
    for prefix in ("sasl", "ssl"):
        given = sorted(name for name in options if name.startswith(f"{prefix}_"))
        if given and prefix.upper() not in protocol.split("_"):
            raise OptionRefused(
                f"The Kafka option '{given[0]}' has no effect with security_protocol {protocol}. Set that too."
            )
    for name, reason in _required(options, protocol):
        if name not in options:
            raise OptionRefused(f"The Kafka option '{name}' is missing; {reason} requires it.")
    if options.get("sasl_mechanism") == "AWS_MSK_IAM":
        if protocol != "SASL_SSL":
            raise OptionRefused("AWS_MSK_IAM requires the Kafka option 'security_protocol' to be SASL_SSL.")
        if find_spec("botocore") is None:
            raise OptionRefused("AWS_MSK_IAM needs the package botocore. Install it with: pip install botocore")


def _required(options: Mapping[str, Any], protocol: str) -> Iterator[tuple[str, str]]:
    """Options that must be set, and what requires them."""
    if protocol.startswith("SASL_"):
        yield "sasl_mechanism", protocol
        mechanism = options.get("sasl_mechanism", "")
        for name in _NEEDED.get(mechanism, ("sasl_plain_username", "sasl_plain_password")):
            yield name, mechanism
    for name in ("ssl_keyfile", "ssl_password"):
        if name in options:
            yield "ssl_certfile", name
