"""The target of a rewind, as users choose it with one of several options."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import typer

from coordstream.cli.job.startpoint_job import StartpointJob
from coordstream.cli.rewind.history import offsets_at_deployment, offsets_at_run
from coordstream.cli.rewind.offsets_file import read_offsets_file
from coordstream.cli.rewind.plan_rewind import TargetOf, time_target
from eventlog.timestamps import ms_of
from managers.rewind.rewind_targets import (
    Reader,
    Target,
    require_readers,
    shifted_by,
    to_earliest,
    to_latest,
    to_offset,
    to_offsets,
)
from managers.startpoints.next_starts import StartpointFacts

OPTIONS: Final = (
    *("--to-datetime", "--by-duration", "--shift-by", "--to-offset", "--to-earliest", "--to-latest"),
    *("--to-run", "--to-deployment", "--from-file"),
)


_SIMPLE: Final[Mapping[str, Callable[[Any], Target]]] = {
    "--shift-by": shifted_by,
    "--to-offset": to_offset,
    "--to-earliest": lambda _: to_earliest(),
    "--to-latest": lambda _: to_latest(),
}
_RECORDED: Final = {
    "--to-run": ("the beginning of run", offsets_at_run),
    "--to-deployment": ("the beginning of deployment", offsets_at_deployment),
}


class ChosenTarget(NamedTuple):
    """One of `OPTIONS` and its value."""

    option: str
    value: Any

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ChosenTarget":
        """The option that has a value. Raises BadParameter unless exactly one has."""
        chosen = [cls(option, value) for option, value in given.items() if value is not None and value is not False]
        if len(chosen) != 1:
            raise typer.BadParameter(f"Expected exactly one of {', '.join(OPTIONS)}.")
        return chosen[0]

    def target_of(self, found: StartpointJob, now: datetime) -> TargetOf:
        """The target for a job. Raises CoordstreamError or InvalidRewind if the job has none of this kind."""
        match self.option:
            case "--to-datetime":
                return _since(self.value)
            case "--by-duration":
                return _since(now - timedelta(seconds=self.value))
            case _:
                target = self._target(found)
                return lambda _inputs, _positions: target

    def _target(self, found: StartpointJob) -> Target:
        if self.option in _SIMPLE:
            return _SIMPLE[self.option](self.value)
        words, offsets_at = _RECORDED.get(self.option, ("", None))
        if offsets_at is not None:
            return to_offsets(f"{words} {self.value}", offsets_at(found.job, self.value))
        offsets = read_offsets_file(self.value, found.job)
        require_readers(offsets, readers_of(found.facts))
        return to_offsets(f"the offsets in {self.value}", offsets)


def readers_of(facts: StartpointFacts) -> list[Reader]:
    """The tasks of a job, with each input partition that they read."""
    return [(task_name, partition) for task_name, partitions in facts.reads().items() for partition in partitions]


def _since(time: datetime) -> TargetOf:
    return time_target(f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC", ms_of(time))
