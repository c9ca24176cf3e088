"""Whether a start of a job hands out startpoints (ClusterBasedJobCoordinator of Samza)."""

from collections.abc import Collection, Mapping
from typing import Final

STARTPOINTS_ENABLED: Final = "job.startpoint.enabled"
HIGH_AVAILABILITY: Final = "yarn.am.high-availability.enabled"


def startpoints_enabled(config: Mapping[str, str]) -> bool:
    """Whether the job follows startpoints at all; it does unless config says otherwise."""
    return _is_true(config.get(STARTPOINTS_ENABLED, "true"))


def is_highly_available(config: Mapping[str, str]) -> bool:
    """Whether containers go on when the job's coordinator is started anew."""
    return _is_true(config.get(HIGH_AVAILABILITY, "false"))


def should_fan_out_startpoints(config: Mapping[str, str], metadata_changes: Collection[object]) -> bool:
    """Whether a job coordinator that starts is to call `StartpointManager.fan_out`.

    ``metadata_changes`` says in what the job differs from its last start; empty: in nothing. Then, with high
    availability, containers run on, and nobody would take what was handed out.
    """
    return startpoints_enabled(config) and (not is_highly_available(config) or bool(metadata_changes))


def _is_true(word: str) -> bool:
    return word.casefold() == "true"
