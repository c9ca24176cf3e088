"""A job's name, id and own streams, from its config (JobConfig and CoordinatorStreamUtil of Samza)."""

from collections.abc import Mapping
from typing import Final, Literal

from eventlog.config import DEFAULT_SYSTEM, integer
from eventlog.streams import DEFAULT_JOB_ID, StreamIdentity, checkpoint_stream_name, coordinator_stream_name, identify
from managers.errors import MissingSetting

Config = Mapping[str, str]
TaskMode = Literal["Active", "Standby"]

ACTIVE: Final[TaskMode] = "Active"
STANDBY: Final[TaskMode] = "Standby"

JOB_NAME: Final = "job.name"
JOB_ID: Final = "job.id"
APP_MODE: Final = "app.mode"
RUN_ID: Final = "app.run.id"
GROUPER_FACTORY: Final = "job.systemstreampartition.grouper.factory"
CHECKPOINT_SYSTEM: Final = "task.checkpoint.system"
COORDINATOR_SYSTEM: Final = "job.coordinator.system"
MONITOR_FREQUENCY: Final = "job.coordinator.monitor-partition-change.frequency.ms"
MONITOR_FREQUENCY_DEFAULT: Final = "300000"
"""In ms, of both monitors of a job's inputs."""
_BATCH: Final = "BATCH"


def stream_setting(config: Config, system: str | None, setting: str, default: int, *own_keys: str) -> int:
    """The first of a stream's own keys that config has, otherwise the setting of all streams created in the system.

    Raises `ConfigError` if it is not an integer.
    """
    of_system = f"systems.{system}.default.stream.{setting}"
    return integer(config, next((key for key in own_keys if key in config), of_system), default)


def job_name(config: Config) -> str:
    """The job's name. Raises `MissingSetting`."""
    name = config.get(JOB_NAME)
    if name is None:
        raise MissingSetting(JOB_NAME, "which is part of the names of the job's streams. Set it")
    return name


def job_id(config: Config) -> str:
    """The job's id, ``1`` by default."""
    return config.get(JOB_ID, DEFAULT_JOB_ID)


def coordinator_stream(config: Config) -> StreamIdentity:
    """The job's coordinator stream. Raises `MissingSetting`."""
    return identify(coordinator_stream_name(job_name(config), job_id(config)))


def checkpoint_stream(config: Config) -> StreamIdentity:
    """The job's checkpoint topic, which a batch job has for each run. Raises `MissingSetting`."""
    return identify(unique_name_for_batch(checkpoint_stream_name(job_name(config), job_id(config)), config))


def is_batch(config: Config) -> bool:
    """Whether the job ends with its inputs (``app.mode``), so that each run has its own checkpoints and changelogs."""
    return config.get(APP_MODE, "").strip().upper() == _BATCH


def unique_name_for_batch(stream_name: str, config: Config) -> str:
    """The name of a stream that each run of a batch job has: with ``-<app.run.id>`` (StreamManager of Samza)."""
    run_id = config.get(RUN_ID)
    return f"{stream_name}-{run_id}" if is_batch(config) and run_id is not None else stream_name


def system_of(config: Config, key: str) -> str | None:
    """The system that a config key names, otherwise the job's default system; None if config has neither."""
    return config.get(key, config.get(DEFAULT_SYSTEM))


def coordinator_system(config: Config) -> str:
    """The system of the coordinator stream; it is not inferred from the inputs (SAMZA-788). Raises `MissingSetting`."""
    system = system_of(config, COORDINATOR_SYSTEM)
    if system is None:
        raise MissingSetting(COORDINATOR_SYSTEM, f"nor {DEFAULT_SYSTEM}. Set one of them")
    return system


def build_coordinator_stream_config(config: Config) -> dict[str, str]:
    """The minimal config with which a job coordinator finds the coordinator stream. Raises `MissingSetting`."""
    system = coordinator_system(config)
    system_config = {key: value for key, value in config.items() if key.startswith(f"systems.{system}.")}
    return {
        **system_config,
        JOB_NAME: job_name(config),
        JOB_ID: job_id(config),
        COORDINATOR_SYSTEM: system,
        MONITOR_FREQUENCY: config.get(MONITOR_FREQUENCY, MONITOR_FREQUENCY_DEFAULT),
    }
