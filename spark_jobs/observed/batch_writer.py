"""Writes the batches of a query to the record of its job."""

import logging
from collections.abc import Mapping
from typing import Final

from eventlog.checkpoint import CheckpointV1, Offsets
from eventlog.config import TASK_INPUTS
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointSpecific
from managers.steered.job_record import JobRecord
from spark_jobs.observed.progress import OWN_SOURCE, CommittedBatch, Positions, SourceRange, processed

_OWN_FACTORY: Final = f"systems.{OWN_SOURCE}.samza.factory"
_logger: Final = logging.getLogger(__name__)


class BatchWriter:
    """Writes config and assignments with the first batch of a run, and checkpoints with each. For one thread.

    What is already on the log is not written again, so that a batch can be written again after a failure.
    """

    def __init__(self, record: JobRecord, query: str, config: Mapping[str, str]) -> None:
        """``config`` is that of the job, apart from what a batch tells."""
        self._record: Final = record
        self._query: Final = query
        self._config: Final = config
        self._run_id = ""
        self._batch_id = -1
        self._assigned: dict[str, frozenset[SystemStreamPartition]] = {}
        self._offsets: dict[str, Offsets] = {}

    def write(self, batch: CommittedBatch) -> None:
        """Write a batch; one that comes after a later one of its run is ignored. Raises what the logs raise."""
        is_first = batch.run_id != self._run_id
        if not is_first and batch.batch_id < self._batch_id:
            return
        sources = {f"{self._query}-{one.number}": one for one in batch.sources}
        if is_first:
            self._record.declare(self._config_with(batch))
        self._assign({task: frozenset(one.end) for task, one in sources.items()}, is_first=is_first)
        for task, one in sources.items():
            known = self._offsets.get(task, {})
            if is_first and one.start is not None and _is_ahead(processed(one.start), known):
                self._commit(task, processed(one.start))  # of a run that ended before it could write
            self._commit(task, processed(one.end))
            if is_first:
                self._consume_startpoints(task, one, known)
        self._run_id, self._batch_id = batch.run_id, batch.batch_id

    def _config_with(self, batch: CommittedBatch) -> dict[str, str]:
        streams = sorted({(each.system, each.stream) for one in batch.sources for each in one.end})
        return {
            **({_OWN_FACTORY: OWN_SOURCE} if any(system == OWN_SOURCE for system, _ in streams) else {}),
            TASK_INPUTS: ",".join(map(".".join, streams)),
            "spark.query.name": self._query,
            "spark.query.id": batch.query_id,
            "spark.query.run.id": batch.run_id,
            "spark.query.sink": batch.sink,
            **self._config,
        }

    def _assign(self, tasks: dict[str, frozenset[SystemStreamPartition]], *, is_first: bool) -> None:
        if tasks == self._assigned and not is_first:
            return
        self._record.assign(tasks)
        checkpoints = self._record.checkpoints.read_last_checkpoints(tasks)
        self._offsets = {task: {} if one is None else one.offsets for task, one in checkpoints.items()}
        self._assigned = tasks

    def _commit(self, task: str, offsets: Offsets) -> None:
        if offsets and offsets != self._offsets.get(task):
            self._record.checkpoints.write_checkpoint(task, CheckpointV1(offsets))
            self._offsets[task] = offsets

    def _consume_startpoints(self, task: str, source: SourceRange, before: Offsets) -> None:
        """Remove the startpoints that the run has followed, and warn of the others: its folder decided otherwise."""
        fan_out = self._record.startpoints.get_fan_out_for_task(task)
        asked = {each: startpoint for each, startpoint in fan_out.items() if each in source.end}
        followed = {
            each: startpoint
            for each, startpoint in asked.items()
            if source.start is None or _has_followed(startpoint, each, source.start, before)
        }
        if followed:
            self._record.startpoints.remove_consumed_fan_out(task, followed)
        if left := sorted(asked.keys() - followed):
            _logger.warning(
                "The query %s did not start %s at its startpoint, since its checkpoint folder has offsets. Start it "
                "with a new folder and the option startingOffsets of `starting_offsets`.",
                *(self._query, left[0]),
            )


def _is_ahead(offsets: Offsets, known: Offsets) -> bool:
    """Whether some partitions are beyond their checkpoint, and none is before it."""
    further = [int(offset or -1) - int(known.get(each) or -1) for each, offset in offsets.items()]
    return offsets.keys() >= known.keys() and min(further, default=0) >= 0 and any(further)


def _has_followed(startpoint: Startpoint, partition: SystemStreamPartition, start: Positions, before: Offsets) -> bool:
    """Whether a folder with offsets is one that began at the startpoint: it stands there, or on the way back."""
    offset = startpoint.specific_offset if isinstance(startpoint, StartpointSpecific) else None
    position = start.get(partition)
    if offset is None or position is None:
        return False
    return position == int(offset) or int(offset) <= position <= int(before.get(partition) or -1)
