"""CheckpointTool: shows and changes the checkpoints of a stopped job."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple, Self

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2, Offsets
from eventlog.config import ALIVE_COMMITS, COMMIT_MS, commit_ms
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.timestamps import ms_of, time_of
from managers.checkpoints.checkpoint_events import require_readable
from managers.checkpoints.checkpoint_manager import JobCheckpoints, KafkaCheckpointManager
from managers.errors import CheckpointError, CheckpointsChanged, JobAlive, no_such_task
from managers.job_facts import JobFacts


class OffsetChange(NamedTuple):
    """A partition whose offset changes; None: no offset."""

    task_name: str
    partition: SystemStreamPartition
    old_offset: str | None
    new_offset: str | None


@dataclass(frozen=True, slots=True)
class CheckpointChange:
    """A task's checkpoint before (None: it has none) and after a change."""

    task_name: str
    before: Checkpoint | None
    after: Checkpoint

    def offset_changes(self) -> Iterator[OffsetChange]:
        """The partitions that differ, sorted."""
        old = {} if self.before is None else self.before.offsets
        for partition in sorted({*old, *self.after.offsets}):
            change = OffsetChange(self.task_name, partition, old.get(partition), self.after.offsets.get(partition))
            if change.old_offset != change.new_offset or (partition in old) is not (partition in self.after.offsets):
                yield change


class CheckpointTool:
    """Reads and writes the checkpoints of a stopped job. A context manager: it starts and stops the manager.

    Unlike Samza's class, it merges new offsets into the task's checkpoint, since a partial file would lose the other
    partitions. It writes the version that the task would start from, with its state markers.
    """

    def __init__(self, manager: JobCheckpoints, facts: JobFacts, *, clock: Clock = system_clock) -> None:
        """``clock`` is for the age of the last commit and for new checkpoint ids."""
        self.manager: Final = manager
        self._facts = facts
        self._clock = clock
        self._own_offsets: set[int] = set()
        self._planned_at: int | None = None

    def current(self) -> dict[str, Checkpoint | None]:
        return self._last(sorted(self._known()))

    def current_inputs(self) -> dict[str, Offsets]:
        """The input offsets of each task that has a checkpoint, sorted by task, without changelogs."""
        current = self.current().items()
        return {task_name: self._inputs(checkpoint) for task_name, checkpoint in current if checkpoint is not None}

    def property_lines(self) -> Iterator[str]:
        from managers.config.property_file import property_lines  # noqa: PLC0415 (most uses print nothing)

        for task_name, offsets in self.current_inputs().items():
            yield from property_lines(task_name, offsets)

    def plan(
        self, offsets: Mapping[str, Offsets], *, replace: bool = False, any_task: bool = False
    ) -> list[CheckpointChange]:
        """The changes of tasks whose checkpoint would differ. Nothing is written.

        A task's other partitions stay, or with ``replace`` are dropped. State stays in both cases. Raises
        `CheckpointError` for an unknown task, unless ``any_task``, and for an offset of None in version 2.
        """
        known = self._known()
        self._planned_at = self.manager.position
        unknown = sorted(set(offsets) - known)
        if unknown and known and not any_task:
            raise CheckpointError(no_such_task(unknown[0], known))
        before = self._last(sorted(offsets))
        changes = [self._change(task_name, before[task_name], offsets[task_name], replace) for task_name in before]
        return [change for change in changes if change.before is None or any(change.offset_changes())]

    def require_stopped(self) -> None:
        """Raise `JobAlive` as the function `require_stopped`. Own writes do not count."""
        self._catch_up()
        require_stopped(self.manager.last_commit_ms(), self._facts.config, ms_of(self._clock()))

    def write(self, changes: list[CheckpointChange]) -> list[int]:
        """Write the checkpoints of a plan, and return their log offsets.

        No log can append under the condition that nobody else wrote a checkpoint of the task. So what another writer
        appends between the last read and the write is found afterwards. Raises `CheckpointsChanged` if another writer
        has written a checkpoint of one of the tasks since the plan.
        """
        task_names = {change.task_name for change in changes}
        self._require_alone(task_names, ())
        offsets = []
        for change in changes:
            self.manager.register(change.task_name)
            offsets.append(self.manager.write_checkpoint(change.task_name, change.after))
        self._require_alone(task_names, offsets)
        self._own_offsets.update(offsets)
        return offsets

    def _require_alone(self, task_names: Collection[str], offsets: Collection[int]) -> None:
        first = self.manager.position if self._planned_at is None else self._planned_at
        for task_name, log_offset in self.manager.commits(first) if task_names else ():
            if task_name in task_names and log_offset not in offsets and log_offset not in self._own_offsets:
                raise CheckpointsChanged(task_name, log_offset, is_written=bool(offsets))

    def _known(self) -> frozenset[str]:
        self._catch_up()
        return self._facts.task_names | self.manager.task_names()

    def _catch_up(self) -> None:
        """Read what was written since the last call, by this tool too: a manager may read its topic only once."""
        self.manager.catch_up(self._own_offsets)

    def _last(self, task_names: Collection[str]) -> dict[str, Checkpoint | None]:
        for task_name in task_names:
            self.manager.register(task_name)
        return self.manager.read_last_checkpoints(task_names)

    def _change(self, task_name: str, before: Checkpoint | None, offsets: Offsets, replace: bool) -> CheckpointChange:
        after = self._after(before, {**self._kept(before, replace), **offsets})
        require_readable(task_name, after)
        return CheckpointChange(task_name, before, after)

    def _kept(self, before: Checkpoint | None, replace: bool) -> Offsets:
        if before is None:
            return {}
        inputs = self._inputs(before) if replace else {}
        return {partition: offset for partition, offset in before.offsets.items() if partition not in inputs}

    def _after(self, before: Checkpoint | None, offsets: Offsets) -> Checkpoint:
        begins_with_v2 = isinstance(self.manager, KafkaCheckpointManager) and self.manager.read_versions[0] == 2
        if isinstance(before, CheckpointV1) or (before is None and not begins_with_v2):
            return CheckpointV1(offsets)
        new_id = CheckpointId.create(ms_of(self._clock()))
        return CheckpointV2(new_id, offsets, {} if before is None else before.state_markers)

    def _inputs(self, checkpoint: Checkpoint) -> Offsets:
        if isinstance(checkpoint, CheckpointV2) or not isinstance(self.manager, KafkaCheckpointManager):
            return checkpoint.offsets  # only V1 on the topic has changelogs among the inputs
        offsets = checkpoint.offsets.items()
        return {partition: offset for partition, offset in offsets if not self._facts.is_state(partition, offset)}

    def __enter__(self) -> Self:
        self.manager.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.manager.stop()


def dotted_streams(checkpoint: Checkpoint) -> list[str]:
    """The streams in a V2 checkpoint that Samza 1.8 cannot read, because it splits their names at every dot."""
    if isinstance(checkpoint, CheckpointV1):
        return []
    return sorted({partition.stream for partition in checkpoint.offsets if "." in partition.stream})


def require_stopped(last_commit_ms: int | None, config: Mapping[str, str], now_ms: int) -> None:
    """Raise `JobAlive` if a job's last checkpoint was written at most three times ``task.commit.ms`` ago."""
    if last_commit_ms is None:
        return
    seconds, limit = (now_ms - last_commit_ms) / 1000, ALIVE_COMMITS * commit_ms(config.get(COMMIT_MS)) / 1000
    if seconds <= limit:
        last_commit = time_of(last_commit_ms) or datetime.max.replace(tzinfo=UTC)  # a writer's mistake
        raise JobAlive(last_commit, seconds, limit)
