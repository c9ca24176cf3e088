"""What an operator should know before a startpoint is written: where the job would not do what the order says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from eventlog.errors import WireError
from eventlog.partition import StartpointKey, SystemStreamPartition, parse_int32, startpoint_key_readings
from managers.startpoints.startpoint_fan_out import TaskPartitions, in_words, meanings
from managers.startpoints.startpoint_switch import (
    HIGH_AVAILABILITY,
    STARTPOINTS_ENABLED,
    is_highly_available,
    startpoints_enabled,
)

COORDINATOR_FACTORY: Final = "job.coordinator.factory"
NO_LEADER_FACTORY: Final = "org.apache.samza.standalone.PassthroughJobCoordinatorFactory"

_STORES: Final = "stores."
_CHANGELOG: Final = ".changelog"

WarningCode = Literal["never_followed", "waits_for_a_change", "dotted_stream", "ambiguous_key", "stores_stay"]


@dataclass(frozen=True, slots=True)
class StartpointWarning:
    """Why an order would not do what it says: a short code for programs, a sentence for people."""

    code: WarningCode
    text: str

    def __str__(self) -> str:
        return self.text


def job_warnings(config: Mapping[str, str]) -> tuple[StartpointWarning, ...]:
    """What is so for every startpoint of a job with this config."""
    return (*_followed(config), *_stores(config))


def key_warnings(key: StartpointKey, task_to_partitions: TaskPartitions) -> tuple[StartpointWarning, ...]:
    """What is so for an order under one key, with the tasks that the job has (empty: not known)."""
    return (*_dotted(key.partition), *_ambiguous(key, task_to_partitions))


def _followed(config: Mapping[str, str]) -> Iterator[StartpointWarning]:
    if config.get(COORDINATOR_FACTORY) == NO_LEADER_FACTORY:
        yield StartpointWarning(
            "never_followed",
            f"the job's coordinator ({NO_LEADER_FACTORY}) hands out no startpoints: this one will never be followed",
        )
    elif not startpoints_enabled(config):
        yield StartpointWarning(
            "never_followed", f"{STARTPOINTS_ENABLED} is not true: the job follows no startpoint until it is"
        )
    elif is_highly_available(config):
        yield StartpointWarning(
            "waits_for_a_change",
            f"{HIGH_AVAILABILITY} is true: a start hands out startpoints only if it is a new deployment, "
            "or the job's model or sizes have changed",
        )


def _stores(config: Mapping[str, str]) -> Iterator[StartpointWarning]:
    kept = sorted(
        key.removeprefix(_STORES).removesuffix(_CHANGELOG)
        for key, stream in config.items()
        if key.startswith(_STORES) and key.endswith(_CHANGELOG) and len(key) > len(_STORES + _CHANGELOG) and stream
    )
    if kept:
        noun = "store" if len(kept) == 1 else "stores"
        yield StartpointWarning(
            "stores_stay",
            f"the state {noun} {', '.join(kept)} will not follow: what was counted or kept there stays as it is",
        )


def _dotted(partition: SystemStreamPartition) -> Iterator[StartpointWarning]:
    if "." not in partition.stream:
        return
    first, second = partition.stream.split(".")[:2]
    try:
        what = f"takes it for partition {parse_int32(second, 'bad_partition', 'the partition')} of {first}"
    except WireError:
        what = "stops with an error when it reads what its tasks were handed"
    yield StartpointWarning(
        "dotted_stream", f"the name of stream {partition.stream} holds a dot: a job on Samza 1.8.0 {what}"
    )


def _ambiguous(key: StartpointKey, task_to_partitions: TaskPartitions) -> Iterator[StartpointWarning]:
    known = meanings(task_to_partitions).get(str(key), frozenset())
    readings = known or set(startpoint_key_readings(str(key)))
    others = sorted(in_words(other) for other in readings if other != key)
    if others and (known != {key}):
        yield StartpointWarning(
            "ambiguous_key",
            f"the key {key} can also be read as {' or as '.join(others)}: whoever cannot tell hands it to nobody",
        )
