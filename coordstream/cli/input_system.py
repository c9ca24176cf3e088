"""Connects to a job's input systems."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import typer

from coordstream.settings import load_settings
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.starting_offset import KAFKA_SYSTEM_FACTORY
from eventlog.system_admin import BoundedSystemAdmin

REACH_SECONDS: Final = 2.0
"""How long to wait for a connection to one of an input's brokers."""

Config = Mapping[str, str]


class InputUnknown(EventLogError):
    """An input system cannot be reached."""


def check_servers(servers: str | None) -> None:
    """Raise BadParameter if the addresses given with --input-bootstrap-servers are invalid."""
    try:
        if servers is not None:
            KafkaOptions.parse(servers)
    except OptionRefused as error:
        raise typer.BadParameter(f"Invalid value for '--input-bootstrap-servers': {error}") from None


@contextmanager
def open_input(config: Config, system: str, given_servers: str | None = None) -> Iterator[BoundedSystemAdmin]:
    """Connect to an input system, by the job's name for it; ``given_servers`` override those in the job's config.

    Credentials (``COORDSTREAM_KAFKA_OPTIONS``) are sent only to brokers that the user has named.

    Raises:
        InputUnknown: The system is not Kafka, its brokers are unknown, or none of them answers.
        OptionRefused: The given addresses are invalid.
    """
    options = input_options(config, system, given_servers)
    require_answer(options)
    from eventlog.kafka.system_admin import KafkaSystemAdmin  # noqa: PLC0415 (loads kafka-python)

    with KafkaSystemAdmin(options) as admin:
        yield admin


def require_answer(options: KafkaOptions) -> None:
    """Raise `InputUnknown` if no broker accepts a connection within seconds."""
    if not any(_answers(server) for server in options.bootstrap_servers.split(",")):
        raise InputUnknown(f"No broker answers at {options.bootstrap_servers}.")


def input_options(config: Config, system: str, given_servers: str | None) -> KafkaOptions:
    """The addresses and credentials for the brokers of an input. Raises as `open_input`, without connecting."""
    own = load_settings().kafka
    if given_servers is not None:
        return KafkaOptions.parse(given_servers) if own is None else _with_servers(own, given_servers)
    servers = _servers(config, system)
    if own is not None and KafkaOptions.parse(servers).bootstrap_servers == own.bootstrap_servers:
        return own
    return KafkaOptions.parse(servers)


def own_servers(config: Config, system: str) -> str | None:
    """The brokers of the settings for a system that has none in the job's config and that has the job's own streams.

    None: use the brokers in the config.
    """
    kafka = load_settings().kafka
    has_servers = any(config.get(f"systems.{system}.{user}.bootstrap.servers") for user in ("consumer", "producer"))
    own_system = config.get("job.coordinator.system") or config.get("job.default.system") or system
    return None if kafka is None or has_servers or system != own_system else kafka.bootstrap_servers


def _with_servers(own: KafkaOptions, servers: str) -> KafkaOptions:
    return KafkaOptions(KafkaOptions.parse(servers).bootstrap_servers, own.client_options)


def _servers(config: Config, system: str) -> str:
    factory = config.get(f"systems.{system}.samza.factory")
    if factory not in (None, KAFKA_SYSTEM_FACTORY):
        raise InputUnknown(f"System {system} is not Kafka. Only Kafka inputs can be checked.")
    for user in ("consumer", "producer"):
        servers = config.get(f"systems.{system}.{user}.bootstrap.servers")
        if servers:
            return servers
    raise InputUnknown(f"The job's config has no brokers for system {system}. Use --input-bootstrap-servers.")


def _answers(server: str) -> bool:
    host, _, port = server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_SECONDS):
            return True
    except (OSError, OverflowError, UnicodeError):  # such as a host's name with two dots in a row
        return False
