"""A backup manager that records its calls, and fails or blocks where a test says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event

from eventlog.checkpoint import Checkpoint, CheckpointId
from managers.state.key_value_store import KeyValueStore


def fail() -> None:
    raise OSError("The disk is full.")


def no_opener(name: str) -> KeyValueStore:
    raise AssertionError(name)


@dataclass
class RecordingBackupManager:
    """Returns ``markers`` from snapshot and upload. ``calls`` may be shared, to see the order of several managers."""

    name: str
    markers: Mapping[str, str]
    calls: list[tuple[object, ...]] = field(default_factory=list)
    uploaded: Mapping[str, str] | None = None
    """What upload returns instead."""
    during: dict[str, Callable[[], object]] = field(default_factory=dict)
    """What happens in a call, by the name of the method."""

    def init(self, checkpoint: Checkpoint | None) -> None:
        self._record("init", checkpoint)

    def snapshot(self, checkpoint_id: CheckpointId) -> Mapping[str, str]:
        self._record("snapshot", checkpoint_id)
        return self.markers

    def upload(self, checkpoint_id: CheckpointId, markers: Mapping[str, str], cancelled: Event) -> Mapping[str, str]:
        assert not cancelled.is_set()
        self._record("upload", checkpoint_id, dict(markers))
        return markers if self.uploaded is None else self.uploaded

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Mapping[str, str]) -> None:
        self._record("persist", checkpoint_id, dict(markers))

    def clean_up(self, checkpoint_id: CheckpointId, markers: Mapping[str, str]) -> None:
        self._record("clean up", checkpoint_id, dict(markers))

    def close(self) -> None:
        self._record("close")

    def of(self, call: str) -> list[tuple[object, ...]]:
        return [each[2:] for each in self.calls if each[:2] == (self.name, call)]

    def _record(self, call: str, *arguments: object) -> None:
        self.calls.append((self.name, call, *arguments))
        if call in self.during:
            self.during[call]()
