"""What a job's config says about where its streams start: default offsets and resets (StreamConfig of Samza)."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from eventlog.config_values import boolean
from eventlog.errors import ConfigError
from eventlog.inputs import inputs, stream_ids
from eventlog.system_admin import offset_after

DefaultOffset = Literal["oldest", "upcoming"]
Config = Mapping[str, str]

KAFKA_SYSTEM_FACTORY: Final = "org.apache.samza.system.kafka.KafkaSystemFactory"

_OFFSET_DEFAULT: Final = "samza.offset.default"
_OFFSET_RESET: Final = "samza.reset.offset"


class OffsetSettings:
    """The settings of a job's streams.

    A setting belongs to a stream id (``streams.<id>.…``), to a stream (``systems.<system>.streams.<stream>.…``) or to
    all streams of a system (``systems.<system>.default.stream.…``). The first of them that is set counts.
    """

    def __init__(self, config: Config) -> None:
        self._config: Final = config
        self._ids: Final = stream_ids(config)

    def default_offset(self, system: str, stream: str) -> DefaultOffset:
        """Where to start without a checkpoint; after the others counts ``systems.<system>.samza.offset.default``.

        ``upcoming`` by default. Raises `ConfigError` for a value that is neither ``oldest`` nor ``upcoming``.
        """
        for name in (*self._keys(system, stream, _OFFSET_DEFAULT), f"systems.{system}.{_OFFSET_DEFAULT}"):
            value = self._config.get(name)
            if value is not None:
                return _default_offset(name, value)
        return "upcoming"

    def is_reset(self, system: str, stream: str) -> bool:
        """Whether the checkpoints of a stream are to be ignored (``…samza.reset.offset=true``).

        Raises `ConfigError` if the stream has several ids.
        """
        names = self._keys(system, stream, _OFFSET_RESET)
        return next((boolean(self._config, name, default=False) for name in names if name in self._config), False)

    def next_offset(self, system: str, offset: str) -> str | None:
        """The offset after a processed one: one more for Samza's Kafka system; None if only the system knows it."""
        return offset_after(offset) if is_kafka_system(self._config, system) else None

    def _keys(self, system: str, stream: str, name: str) -> Iterator[str]:
        ids = self._ids.get((system, stream), ())
        if len(ids) > 1:
            raise ConfigError(f"Stream {stream} of system {system} has several ids: {', '.join(ids)}. Expected one.")
        yield from (f"streams.{each}.{name}" for each in ids)
        yield f"systems.{system}.streams.{stream}.{name}"
        yield f"systems.{system}.default.stream.{name}"


def is_kafka_system(config: Config, system: str) -> bool:
    """Whether a job's config says that a system is Samza's Kafka system."""
    return config.get(f"systems.{system}.samza.factory") == KAFKA_SYSTEM_FACTORY


def refuse_unknown_defaults(config: Config) -> None:
    """Raise `ConfigError` if the default offset of an input has an unknown value.

    If config does not name the inputs, every default offset in it is checked.
    """
    known = inputs(config)
    if known is not None:
        settings = OffsetSettings(config)
        for system, stream in sorted(known):
            settings.default_offset(system, stream)
        return
    for name, value in sorted(config.items()):
        if name.startswith(("systems.", "streams.")) and name.endswith(f".{_OFFSET_DEFAULT}"):
            _default_offset(name, value)


def _default_offset(name: str, value: str) -> DefaultOffset:
    match value.strip().lower():
        case "oldest":
            return "oldest"
        case "upcoming":
            return "upcoming"
    raise ConfigError(f"Invalid value of {name}. Expected oldest or upcoming.")
