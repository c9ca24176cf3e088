"""A job that a property file describes: its config, and its coordinator stream, which is created if it is missing."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.job.property_checks import doubts, require_storable
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.messages import warn
from coordstream.settings import load_settings
from eventlog.errors import printable_text
from eventlog.streams import StreamIdentity
from managers.config.property_file import as_config, parse_properties
from managers.job_names import Config, coordinator_stream
from managers.streams.stream_creation import create_coordinator_stream

STANDARD_INPUT: Final = Path("-")

PropertyFile = typer.Option(
    metavar="FILE", help="The whole config, as a property file (key=value lines, as in Samza); - is standard input."
)
ConfigFile = Annotated[Path, PropertyFile]


def read_submission(word: str, path: Path) -> dict[str, str]:
    """The config of a file, which must be that of the job that the user named.

    Lines that may not mean what they seem to are reported as warnings.

    Raises:
        CoordstreamError: it is the config of another job.
        ConfigError: a line is malformed or too long, or the job's name is missing.
    """
    if path == STANDARD_INPUT:
        place, file = "standard input", sys.stdin.buffer.read()
    else:
        place, file = str(path), path.read_bytes()
    properties = parse_properties(file, place)
    require_storable(properties, place)
    warn(doubts(file, properties, place))
    config = as_config(properties)
    stream = coordinator_stream(config)
    if word.replace("_", "-") not in (stream.job_name, f"{stream.job_name}/{stream.job_id}"):
        raise CoordstreamError(
            f'{path} is the config of {stream.job_name}/{stream.job_id}, not of "{printable_text(word)}". '
            "Check job.name and job.id."
        )
    return config


def ensure_coordinator_stream(config: Config) -> StreamIdentity:
    """Create the coordinator stream, unless it exists, on the brokers of the settings or else in the database.

    Raises:
        EventLogError: the brokers do not answer, or refuse to create it.
    """
    options = load_settings().kafka
    if options is not None:
        from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415 (loads kafka-python)

        with KafkaAdmin(options) as admin:
            return create_coordinator_stream(admin, config)
    from eventlog.postgres.log import PostgresAdmin  # noqa: PLC0415

    with open_database() as database:
        return create_coordinator_stream(PostgresAdmin(database.connection), config)
