"""How many containers a job has, and on which hosts they would best run (JobConfig and JobModelHelper of Samza)."""

from collections.abc import Mapping
from typing import Final

from eventlog.errors import ConfigError, WireError
from eventlog.partition import parse_int32
from managers.config.job_config import AUTOSIZING, is_autosized
from managers.job_names import Config

ANY_HOST: Final = "ANY_HOST"

_COUNT: Final = "job.container.count"
_AUTOSIZED_COUNT: Final = f"{AUTOSIZING}container.count"
_OLD_COUNT: Final = "yarn.container.count"


def container_count(config: Config) -> int:
    """How many containers the job's tasks are shared out among, 1 unless config says more.

    What auto-sizing found counts before what was set, while it is enabled.

    Raises:
        ConfigError: that is no whole number, or less than one.
    """
    keys = (_AUTOSIZED_COUNT, _COUNT, _OLD_COUNT) if is_autosized(config) else (_COUNT, _OLD_COUNT)
    key = next((key for key in keys if key in config), None)
    return 1 if key is None else positive_number(config, key)


def processor_localities(config: Config, hosts: Mapping[str, str]) -> dict[str, str]:
    """The host of each container that the job has now, by its id: where it ran last, else ``ANY_HOST`` (SAMZA-2304)."""
    return {str(number): hosts.get(str(number)) or ANY_HOST for number in range(container_count(config))}


def positive_number(config: Config, key: str) -> int:
    """A setting that is a whole number from 1 on, as Java reads it. Raises `ConfigError`."""
    try:
        number = parse_int32(config[key], "bad_number", key)
    except WireError:
        number = 0
    if number < 1:
        raise ConfigError(f"{key} is no whole number from 1 on: set it to one")
    return number
