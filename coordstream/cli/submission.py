"""A job's config in a properties file, its secrets, and its coordinator stream."""

from collections.abc import Iterable
from pathlib import Path

import typer

from coordstream.cli.arguments import read_given
from coordstream.errors import CoordstreamError
from coordstream.event_logs import open_maker
from eventlog.errors import printable_text
from eventlog.secret_policy import SecretPolicy
from managers.config.property_file import parse_properties
from managers.errors import SettingChange
from managers.job_names import Config, coordinator_stream
from managers.stream_creation import create_coordinator_stream

PropertyFile = typer.Option(
    metavar="FILE", help="The whole config, as a properties file (key=value lines, as in Samza); - is standard input."
)


def read_submission(word: str, path: Path) -> dict[str, str]:
    """The config of a file, which must be that of the job that the user named.

    Raises `CoordstreamError`: it is the config of another job; `ConfigError`: a line is malformed, or the job's name is
    missing.
    """
    place, data = read_given(path)
    config = parse_properties(data, place)
    stream = coordinator_stream(config)
    if word.replace("_", "-") not in (stream.job_name, f"{stream.job_name}/{stream.job_id}"):
        raise CoordstreamError(
            f'{place} is the config of {stream.job_name}/{stream.job_id}, not of "{printable_text(word)}". '
            "Check job.name and job.id."
        )
    return config


def ensure_coordinator_stream(config: Config) -> None:
    """Create the coordinator stream, unless it exists, on the brokers of the settings or else in the database.

    Raises `EventLogError`: the brokers do not answer, or refuse to create it.
    """
    with open_maker() as maker:
        create_coordinator_stream(maker, config)


def is_secret(secrets: SecretPolicy, key: str, value: str | None) -> bool:
    """Whether the value is a secret, by the name of the key or by the value itself."""
    return value is not None and (secrets.is_secret_name(key) or secrets.holds_secret(value))


def shown(secrets: SecretPolicy, key: str, value: str | None) -> str | None:
    """The value, or its fingerprint if it is a secret, as in the relation ``config``."""
    return secrets.fingerprint(value) if value is not None and is_secret(secrets, key, value) else value


def masked_changes(secrets: SecretPolicy, changes: Iterable[SettingChange]) -> list[SettingChange]:
    """The changes with fingerprints in place of secrets, for an error."""
    return [SettingChange(key, shown(secrets, key, old), shown(secrets, key, new)) for key, old, new in changes]
