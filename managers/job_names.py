"""What a job's config says of its name and of the streams that are its own (JobConfig and CoordinatorStreamUtil)."""

from collections.abc import Mapping
from typing import Final

from eventlog.inputs import DEFAULT_SYSTEM
from eventlog.streams import DEFAULT_JOB_ID, StreamIdentity, checkpoint_stream_name, coordinator_stream_name, identify
from managers.errors import MissingSetting

Config = Mapping[str, str]

JOB_NAME: Final = "job.name"
JOB_ID: Final = "job.id"
COORDINATOR_SYSTEM: Final = "job.coordinator.system"
MONITOR_FREQUENCY: Final = "job.coordinator.monitor-partition-change.frequency.ms"
_MONITOR_FREQUENCY_DEFAULT: Final = "300000"


def job_name(config: Config) -> str:
    """The job's name. Raises `MissingSetting`."""
    return _needed(config, JOB_NAME, "since the names of the job's streams are made of it")


def job_id(config: Config) -> str:
    """The job's id, ``1`` if the config names none."""
    return config.get(JOB_ID, DEFAULT_JOB_ID)


def coordinator_stream(config: Config) -> StreamIdentity:
    """The job's coordinator stream. Raises `MissingSetting`."""
    return identify(coordinator_stream_name(job_name(config), job_id(config)))


def checkpoint_stream(config: Config) -> StreamIdentity:
    """The job's checkpoint topic. Raises `MissingSetting`."""
    return identify(checkpoint_stream_name(job_name(config), job_id(config)))


def coordinator_system(config: Config) -> str:
    """The system that the coordinator stream is on; it is never guessed of the inputs (SAMZA-788).

    Raises:
        MissingSetting: the config names neither that nor a default system.
    """
    system = config.get(COORDINATOR_SYSTEM, config.get(DEFAULT_SYSTEM))
    return system if system is not None else _needed(config, COORDINATOR_SYSTEM, f"or {DEFAULT_SYSTEM}")


def build_coordinator_stream_config(config: Config) -> dict[str, str]:
    """What a job coordinator needs to find the coordinator stream, where it reads the rest; no more than that.

    Raises:
        MissingSetting: the job's name or the coordinator's system is not known.
    """
    system = coordinator_system(config)
    of_system = {key: value for key, value in config.items() if key.startswith(f"systems.{system}.")}
    return {
        **of_system,
        JOB_NAME: job_name(config),
        JOB_ID: job_id(config),
        COORDINATOR_SYSTEM: system,
        MONITOR_FREQUENCY: config.get(MONITOR_FREQUENCY, _MONITOR_FREQUENCY_DEFAULT),
    }


def _needed(config: Config, key: str, need: str) -> str:
    value = config.get(key)
    if value is None:
        raise MissingSetting(key, need)
    return value
