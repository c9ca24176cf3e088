"""The settings: environment variables ``COORDSTREAM_*``, then ``coordstream.toml`` of the current folder."""

import json
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, Self

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from coordstream.errors import SettingsError
from coordstream.secret_file import read_or_make_secret
from eventlog.errors import is_utf8, known_names
from eventlog.kafka.options import MAX_BATCH_BYTES, KafkaOptions, OptionRefused
from eventlog.secret_policy import DEFAULT_SECRET_PATTERNS, SecretPolicy

ENV_PREFIX: Final = "COORDSTREAM_"
TOML_FILE: Final = "coordstream.toml"
KEY_FILE: Final = "mask.key"
ROOT_HOME: Final = Path("/var/lib/coordstream")
_OTHER_VARIABLES: Final = frozenset({"COORDSTREAM_COMPILE", "COORDSTREAM_COMPILED", "COORDSTREAM_JDBC_JAR"})
# Kubernetes sets these in every pod beside a service named coordstream, or coordstream-something
_SERVICE_LINK: Final = re.compile(r"\w+_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)")
_URL_SCHEMES: Final = ("postgresql://", "postgres://")
_NO_HOME: Final = "This user has no home folder. Set COORDSTREAM_HOME to a folder that this user can write to."
_OPTION_TYPES: Final = (str, int, float, bool)


def default_home() -> Path:
    """The folder if ``COORDSTREAM_HOME`` is unset.

    For root it is outside root's home: Postgres then runs as another user, who must be able to reach it.
    """
    try:
        return ROOT_HOME if os.geteuid() == 0 else platformdirs.user_data_path("coordstream", appauthor=False)
    except RuntimeError:
        raise SettingsError(_NO_HOME) from None


class Settings(BaseSettings):
    """All settings, read once by :func:`load_settings`.

    - ``home`` has the embedded Postgres, the mask key and caches.
    - ``database_url``: unset means the embedded Postgres.
    - ``mask_key`` is any text but an empty one; unset means a key file in ``home``.
    - ``secret_patterns`` replace the default patterns. A config value is shown as a fingerprint if its key contains one
      of them, in any case, or if the value itself looks like a secret.
    - ``kafka_bootstrap_servers``: unset means that streams are logs in Postgres.
    - ``kafka_options`` are more options of kafka-python, such as ``security_protocol``. Their values are never shown,
      since any of them may be a secret.
    - ``kafka_max_batch_bytes``: how many bytes a batch of records may unpack to.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        toml_file=TOML_FILE,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    home: Path = Field(default_factory=default_home)
    database_url: SecretStr | None = None
    mask_key: SecretStr | None = None
    secret_patterns: Annotated[tuple[str, ...], NoDecode] = DEFAULT_SECRET_PATTERNS
    kafka_bootstrap_servers: str | None = None
    kafka_options: Annotated[dict[str, SecretStr], NoDecode] = Field(default_factory=dict)
    kafka_max_batch_bytes: int = Field(default=MAX_BATCH_BYTES, ge=1, lt=2**31)

    @property
    def kafka(self) -> KafkaOptions | None:
        """How to reach the brokers; None if none are set. Raises SettingsError: an option is invalid."""
        if self.kafka_bootstrap_servers is None:
            return None
        options = {name: value.get_secret_value() for name, value in self.kafka_options.items()}
        try:
            parsed = KafkaOptions.parse(self.kafka_bootstrap_servers, options)
        except OptionRefused as error:
            raise SettingsError(f"Invalid {ENV_PREFIX}KAFKA_OPTIONS: {_clause(str(error))}.") from None
        return replace(parsed, max_batch_bytes=self.kafka_max_batch_bytes)

    @property
    def secrets(self) -> SecretPolicy:
        """What counts as a secret, and the key for its fingerprints, which is never stored in Postgres.

        The key is ``mask_key``, or else that of ``<home>/mask.key``, created at the first use (mode 0600): the text's
        UTF-8 bytes, not decoded even if it is hex or base64. Raises SettingsError if the file cannot be used.
        """
        if self.mask_key is not None:
            return SecretPolicy(self.mask_key.get_secret_value().encode(), self.secret_patterns)
        path = self.home / KEY_FILE
        try:
            return SecretPolicy(read_or_make_secret(path).encode(), self.secret_patterns)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is empty or not text"
            raise SettingsError(
                f"Cannot use the key file {path} ({reason}). Restore it, or set {ENV_PREFIX}MASK_KEY."
            ) from error

    @field_validator("*", mode="before")
    @classmethod
    def _without_space(cls, value: object) -> object:
        """As `read_secret` does: a secret that is mounted from a file often ends with a newline."""
        return value.strip() if isinstance(value, str) else value

    @field_validator("home")
    @classmethod
    def _absolute_home(cls, home: Path) -> Path:
        try:
            return home.expanduser().absolute()
        except RuntimeError:
            raise SettingsError(_NO_HOME) from None

    @field_validator("database_url")
    @classmethod
    def _known_scheme(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(_URL_SCHEMES):
            raise ValueError("expected a URL that begins with postgresql://")
        return url

    @field_validator("mask_key")
    @classmethod
    def _is_text(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not key.get_secret_value():
            raise ValueError("it is empty. Use a long random text, or remove the setting: a key is then generated")
        if key is not None and not is_utf8(key.get_secret_value()):
            raise ValueError("it is not text in UTF-8. Use a long random text, such as that of `openssl rand -hex 32`")
        return key

    @field_validator("secret_patterns", mode="before")
    @classmethod
    def _comma_list(cls, patterns: object) -> object:
        parts = patterns.split(",") if isinstance(patterns, str) else patterns
        if not isinstance(parts, list | tuple):
            return patterns
        return tuple(stripped for part in parts if (stripped := str(part).strip()))

    @field_validator("kafka_bootstrap_servers")
    @classmethod
    def _host_and_port(cls, servers: str | None) -> str | None:
        try:
            return None if servers is None else KafkaOptions.parse(servers).bootstrap_servers
        except OptionRefused as error:
            raise ValueError(str(error)) from None

    @field_validator("kafka_options", mode="before")
    @classmethod
    def _option_texts(cls, options: object) -> dict[str, str]:
        try:
            given = json.loads(options) if isinstance(options, str) else options
        except (ValueError, RecursionError):  # no message may repeat the text
            given = None
        if not isinstance(given, dict):
            raise ValueError("expected a JSON object, or a table in the file")  # noqa: TRY004 (for pydantic)
        return {name: _option_text(name, value) for name, value in given.items()}

    @model_validator(mode="after")
    def _options_have_servers(self) -> Self:
        if self.kafka_options and self.kafka_bootstrap_servers is None:
            raise ValueError(
                f"{ENV_PREFIX}KAFKA_OPTIONS is set but {ENV_PREFIX}KAFKA_BOOTSTRAP_SERVERS is not. Set both or neither"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments first, then the environment, then the file; .env files and secrets folders are not read."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings() -> Settings:
    """Read the settings.

    Raises `SettingsError`: a setting is invalid or unknown; the message names its variable, or the line of the file.
    """
    _require_known(os.environ)
    try:
        return Settings()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(f"Invalid TOML in {TOML_FILE}: line {line} is not UTF-8. Correct the file.") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"Invalid TOML in {TOML_FILE}: {error}. Correct the file.") from None
    except ValidationError as error:
        raise SettingsError(_describe(error)) from None


def _require_known(variables: Iterable[str]) -> None:
    """Raise SettingsError for a variable with the prefix of the settings that nothing reads."""
    known = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields} | _OTHER_VARIABLES
    given = (name for name in variables if name.upper().startswith(ENV_PREFIX))
    unknown = sorted(name for name in given if name.upper() not in known and not _SERVICE_LINK.fullmatch(name))
    if unknown:
        raise SettingsError(
            f"Unknown environment variable {unknown[0]!r}.{known_names('variables', unknown[0], sorted(known))}"
        )


def _option_text(name: str, value: object) -> str:
    """An option as text: numbers, true and false in their JSON form; a text without the newline at its end."""
    if type(value) not in _OPTION_TYPES:
        raise ValueError(f"expected {name} to be a string, a number, true or false")
    return value.rstrip("\r\n") if isinstance(value, str) else json.dumps(value)


def _describe(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if not first["loc"]:
        return f"{first['msg'].removeprefix('Value error, ')}."
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        known = ", ".join(Settings.model_fields)
        return f"Unknown setting {name!r} in {TOML_FILE}. Known settings: {known}."
    reason = first["msg"].removeprefix("Value error, ")
    return f"Invalid {ENV_PREFIX}{name.upper()} (or {name} in {TOML_FILE}): {_clause(reason)}."


def _clause(sentence: str) -> str:
    """A sentence as the end of another one."""
    return f"{sentence[:1].lower()}{sentence[1:]}".rstrip(".")
