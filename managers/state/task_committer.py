"""TaskCommitter: commits the offsets and the state of a task together."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import TIMEOUT_MAX, Event, Lock, Thread
from typing import Final, NamedTuple

from eventlog.checkpoint import CheckpointId, Offsets, StateMarkers
from eventlog.config import boolean, integer
from managers.checkpoints.checkpoint_events import build_checkpoints
from managers.offsets.offset_manager import OffsetManager
from managers.state.state_errors import CommitFailed, CommitTimedOut, Step
from managers.state.task_storage import TaskStorageCommitManager

_SKIP: Final = "task.commit.skip.commit"
_logger: Final = logging.getLogger(__name__)


class CommitSettings(NamedTuple):
    """How long a commit may take, and how many failures in a row are skipped."""

    max_delay_ms: int
    """A commit is skipped while an earlier one is in progress for less than this."""
    timeout_ms: int
    """How long a commit waits for an earlier one after that."""
    exception_limit: int
    timeout_limit: int

    @classmethod
    def of(cls, config: Mapping[str, str]) -> "CommitSettings":
        skips = boolean(config, f"{_SKIP}.during.failures.enabled", default=False)
        return cls(
            integer(config, "task.commit.max.delay.ms", 60_000, minimum=0),
            integer(config, "task.commit.timeout.ms", 1_800_000, minimum=0),
            integer(config, f"{_SKIP}.exception.max.limit", 5, minimum=0) if skips else 0,
            integer(config, f"{_SKIP}.timeout.max.limit", 2, minimum=0) if skips else 0,
        )


@dataclass
class CommitMetrics:
    """Counts since the committer was created."""

    commits: int = 0
    skipped: int = 0
    exceptions: int = 0
    timed_out: int = 0


@dataclass(eq=False)
class _Commit:
    """A commit, in progress while its thread is alive."""

    checkpoint_id: CheckpointId
    started: float
    step: Step = "flush"
    cancelled: Event = field(default_factory=Event)
    thread: Thread = field(default_factory=Thread)
    error: CommitFailed | None = None


class TaskCommitter:
    """Commits a task: its offsets and the markers of its stores, in one checkpoint.

    `commit` flushes the output and captures the state in the task's thread. A thread of the commit then uploads the
    state, writes the checkpoint, writes files into the stores' directories, and deletes what is no longer needed.

    Register the task with the offset manager, and start both managers, before the first commit.
    """

    def __init__(
        self,
        config: Mapping[str, str],
        offset_manager: OffsetManager,
        commit_manager: TaskStorageCommitManager,
        *,
        flush_outputs: Callable[[], None] = lambda: None,
        flush_tables: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``flush_outputs`` and ``flush_tables`` return when what the task has written is durable."""
        self._config: Final = dict(config)
        self._settings: Final = CommitSettings.of(config)
        self._offsets: Final = offset_manager
        self._manager: Final = commit_manager
        self.task_name: Final = commit_manager.task_name
        self._flush_outputs: Final = flush_outputs
        self._flush_tables: Final = flush_tables
        self._monotonic: Final = monotonic
        self._lock: Final = Lock()
        self._current: _Commit | None = None
        self._exceptions = self._timeouts = 0
        self.metrics: Final = CommitMetrics()

    def commit(self) -> bool:
        """Begin a commit, and return whether it began. For one thread.

        It does not begin while an earlier one is in progress for less than ``task.commit.max.delay.ms``. After that,
        this waits for the earlier one up to ``task.commit.timeout.ms``, then cancels its upload. With
        ``task.commit.skip.commit.during.failures.enabled``, some failures in a row are only logged.

        Raises:
            CommitFailed: the earlier commit failed after this returned, or a step in this thread failed; commit again.
            CommitTimedOut: the earlier commit is still in progress.
        """
        if not self._wait_for_earlier():
            return False
        self._raise_earlier(self._settings.exception_limit)
        commit = _Commit(CheckpointId.create(), self._monotonic())
        self.metrics.commits += 1
        offsets = self._offsets.get_last_processed_offsets(self.task_name)
        try:
            self._flush_outputs()
            self._flush_tables()
        except Exception as error:
            raise CommitFailed(self.task_name, commit.checkpoint_id, "flush", error) from error
        _logger.debug("Commit %s of task %r: capturing the state of its stores.", commit.checkpoint_id, self.task_name)
        snapshot = self._manager.snapshot(commit.checkpoint_id)
        commit.step = "upload"
        name, arguments = f"commit of {self.task_name}", (commit, offsets, snapshot)
        commit.thread = Thread(target=self._finish, args=arguments, name=name, daemon=True)
        self._current = commit
        commit.thread.start()
        return True

    def wait(self, timeout_ms: int | None = None) -> None:
        """Wait until the commit in progress has ended. Raises `CommitFailed`, and `CommitTimedOut` after the time."""
        commit = self._current
        if commit is not None and not _has_ended(commit, timeout_ms):
            raise self._timed_out(commit)
        self._raise_earlier(limit=0)

    def _wait_for_earlier(self) -> bool:
        """Wait for the commit in progress as long as allowed; False: skip this commit."""
        commit = self._current
        if commit is None or not commit.thread.is_alive():
            return True
        if self._elapsed_ms(commit) < self._settings.max_delay_ms:
            self.metrics.skipped += 1
            _logger.info("Commit of task %r skipped: commit %s is in progress.", self.task_name, commit.checkpoint_id)
            return False
        if _has_ended(commit, self._settings.timeout_ms):
            return True
        self._give_up(commit)
        return False

    def _give_up(self, commit: _Commit) -> None:
        """Cancel a commit that uploads, and raise `CommitTimedOut` unless it is skipped.

        A commit that may have written its checkpoint stays in progress: a later one must not overtake it.
        """
        error = self._timed_out(commit)
        with self._lock:
            if commit.step == "upload":
                commit.cancelled.set()
                self._current = None
        self.metrics.timed_out += 1
        self._timeouts += 1
        if self._timeouts > self._settings.timeout_limit:
            raise error
        _logger.warning("%s This is timeout %d in a row.", error, self._timeouts)

    def _raise_earlier(self, limit: int) -> None:
        """Raise the error of the earlier commit, unless it is skipped: failures in a row are, up to the limit."""
        commit, self._current = self._current, None
        if commit is None:
            return
        error = commit.error
        if error is None:
            self._exceptions = self._timeouts = 0
            return
        self.metrics.exceptions += 1
        self._exceptions += 1
        if self._exceptions > limit:
            raise error
        _logger.warning("%s This is failure %d in a row.", error, self._exceptions)

    def _finish(self, commit: _Commit, offsets: Offsets, snapshot: StateMarkers) -> None:
        try:
            self._back_up(commit, offsets, snapshot)
        except CommitFailed as error:
            commit.error = error
        except BaseException as cause:  # an extension module may panic with one
            commit.error = CommitFailed(self.task_name, commit.checkpoint_id, commit.step, cause)
            commit.error.__cause__ = cause

    def _back_up(self, commit: _Commit, offsets: Offsets, snapshot: StateMarkers) -> None:
        checkpoint_id = commit.checkpoint_id
        markers = self._manager.upload(checkpoint_id, snapshot, commit.cancelled)
        with self._lock:
            if commit.cancelled.is_set():
                return
            commit.step = "checkpoint"
        checkpoints = build_checkpoints(self._config, checkpoint_id, offsets, markers)
        self._offsets.write_checkpoint(self.task_name, *checkpoints)
        commit.step = "persist"
        for checkpoint in checkpoints:
            self._manager.write_checkpoint_to_store_directories(checkpoint)
        self._manager.persist_to_filesystem(checkpoint_id, markers)
        commit.step = "clean up"
        self._manager.clean_up(checkpoint_id, markers)
        _logger.debug("Commit %s of task %r is complete: %s", checkpoint_id, self.task_name, dict(markers))

    def _timed_out(self, commit: _Commit) -> CommitTimedOut:
        return CommitTimedOut(self.task_name, commit.checkpoint_id, commit.step, self._elapsed_ms(commit))

    def _elapsed_ms(self, commit: _Commit) -> int:
        return int((self._monotonic() - commit.started) * 1000)


def _has_ended(commit: _Commit, timeout_ms: int | None) -> bool:
    commit.thread.join(None if timeout_ms is None else min(timeout_ms / 1000, TIMEOUT_MAX))
    return not commit.thread.is_alive()
