"""A job's input systems, asked where they can be reached."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from coordstream.settings import load_settings
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions
from eventlog.starting_offset import KAFKA_SYSTEM_FACTORY
from eventlog.system_admin import SystemAdmin

REACH_SECONDS: Final = 2.0
"""How long an address of an input's broker is given to answer."""

Config = Mapping[str, str]


class InputUnknown(EventLogError):
    """An input system could not be asked."""


@contextmanager
def open_input(config: Config, system: str, given_servers: str | None = None) -> Iterator[SystemAdmin]:
    """The system of an input, by the job's name for it; ``given_servers`` go before those of the job's config.

    Who we are (``COORDSTREAM_KAFKA_OPTIONS``) is told to brokers only that the user has named.

    Raises:
        InputUnknown: it is no Kafka, it is not known where it is, or nobody answers there.
        OptionRefused: the addresses that were given are none.
    """
    options = input_options(config, system, given_servers)
    if not any(_answers(server) for server in options.bootstrap_servers.split(",")):
        raise InputUnknown(f"nobody answers at {options.bootstrap_servers}")
    from eventlog.kafka.system_admin import KafkaSystemAdmin  # noqa: PLC0415 (loads kafka-python)

    with KafkaSystemAdmin(options) as admin:
        yield admin


def input_options(config: Config, system: str, given_servers: str | None) -> KafkaOptions:
    """How the brokers of an input are reached. Raises as `open_input`, but for who does not answer."""
    own = load_settings().kafka
    if given_servers is not None:
        return KafkaOptions.parse(given_servers) if own is None else _with_servers(own, given_servers)
    servers = _servers(config, system)
    if own is not None and KafkaOptions.parse(servers).bootstrap_servers == own.bootstrap_servers:
        return own
    return KafkaOptions.parse(servers)


def _with_servers(own: KafkaOptions, servers: str) -> KafkaOptions:
    return KafkaOptions(KafkaOptions.parse(servers).bootstrap_servers, own.client_options)


def _servers(config: Config, system: str) -> str:
    factory = config.get(f"systems.{system}.samza.factory")
    if factory not in (None, KAFKA_SYSTEM_FACTORY):
        raise InputUnknown(f"system {system} is no Kafka, and others can't be asked")
    for user in ("consumer", "producer"):
        servers = config.get(f"systems.{system}.{user}.bootstrap.servers")
        if servers:
            return servers
    raise InputUnknown(f"the job's config does not say where system {system} is: give --input-bootstrap-servers")


def _answers(server: str) -> bool:
    host, _, port = server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_SECONDS):
            return True
    except (OSError, OverflowError, UnicodeError):  # such as a host's name with two dots in a row
        return False
