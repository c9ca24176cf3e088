"""What a user can set: environment variables ``COORDSTREAM_*``, then ``coordstream.toml`` of the current folder."""

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Self

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
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.secrets.secret_policy import DEFAULT_SECRET_PATTERNS

ENV_PREFIX: Final = "COORDSTREAM_"
TOML_FILE: Final = "coordstream.toml"
ROOT_HOME: Final = Path("/var/lib/coordstream")
_URL_SCHEMES: Final = ("postgresql://", "postgres://")
_OPTION_TYPES: Final = (str, int, float, bool)


def default_home() -> Path:
    """The data folder when ``COORDSTREAM_HOME`` is unset.

    Root gets a folder outside its home: Postgres then runs as another user, who must reach it.
    """
    return ROOT_HOME if os.geteuid() == 0 else platformdirs.user_data_path("coordstream", appauthor=False)


class Settings(BaseSettings):
    """All settings, read once; see :func:`load_settings` for the errors that users get.

    ``home`` holds the embedded Postgres, the installation's key and caches. ``database_url`` unset means the
    embedded Postgres. ``mask_key`` is any text and unset means a key file in ``home``. ``secret_patterns`` are
    parts of config keys (any case) whose values are shown as fingerprints only, in place of the default ones; values
    that show a secret by themselves are masked whatever the patterns. ``kafka_bootstrap_servers`` unset means that
    streams are logs in Postgres; ``kafka_options`` are further options of kafka-python, such as ``security_protocol``:
    any of them may be a secret, so none of their values is ever shown.
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

    @property
    def jar_cache(self) -> Path:
        """Where the jars that Spark needs are kept once fetched."""
        return self.home / "jars"

    @property
    def kafka(self) -> KafkaOptions | None:
        """How the brokers are reached; None where none are set. Raises SettingsError: an option can't be used."""
        if self.kafka_bootstrap_servers is None:
            return None
        options = {name: value.get_secret_value() for name, value in self.kafka_options.items()}
        try:
            return KafkaOptions.parse(self.kafka_bootstrap_servers, options)
        except OptionRefused as error:
            raise SettingsError(f"{ENV_PREFIX}KAFKA_OPTIONS can't be used: {error}.") from None

    @field_validator("home")
    @classmethod
    def _absolute_home(cls, home: Path) -> Path:
        return home.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _known_scheme(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(_URL_SCHEMES):
            raise ValueError("must be a URL that begins with postgresql://")
        return url

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
        given = _json_object(options)
        if given is None:
            raise ValueError("must be a JSON object, or a table in the file")
        return {name: _option_text(name, value) for name, value in given.items()}

    @model_validator(mode="after")
    def _options_have_servers(self) -> Self:
        if self.kafka_options and self.kafka_bootstrap_servers is None:
            raise ValueError(
                f"{ENV_PREFIX}KAFKA_OPTIONS is set and {ENV_PREFIX}KAFKA_BOOTSTRAP_SERVERS is not: set both or none"
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
        """Arguments, then the environment, then the file; no .env and no secrets folder."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings() -> Settings:
    """Read the settings.

    Raises:
        SettingsError: one sentence that names the variable, or the line of the file.
    """
    try:
        return Settings()
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{TOML_FILE} is not valid TOML: {error}. Correct the file.") from None
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None


def _json_object(value: object) -> dict[str, Any] | None:
    """A dict, or the object that a JSON text holds; None, without a word of what it is, of anything else."""
    try:
        decoded = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, dict) else None


def _option_text(name: str, value: object) -> str:
    """An option as text; a number, true and false as JSON writes them."""
    if type(value) not in _OPTION_TYPES:
        raise ValueError(f"{name} must be a text, a number, true or false")
    return value if isinstance(value, str) else json.dumps(value)


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if not first["loc"]:
        return f"{first['msg'].removeprefix('Value error, ')}."
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        known = ", ".join(Settings.model_fields)
        return f"{TOML_FILE} has the unknown setting {name!r}; it knows {known}."
    reason = first["msg"].removeprefix("Value error, ")
    return f"{ENV_PREFIX}{name.upper()} (or {name} in {TOML_FILE}) can't be used: {reason}."
