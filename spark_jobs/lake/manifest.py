"""What a lake contains: one manifest per run of `coordstream spark archive`, as JSON.

A lake is a folder of `events/run=N-…/stream_name=…/incarnation=…/*.parquet` and of `manifests/N.json`. A run is
part of the lake once it has a manifest; files that no manifest names are left over from a run that was killed.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from spark_jobs.errors import SparkJobError
from spark_jobs.output_folder import local_path

FORMAT: Final = 1
EVENTS: Final = "events"
MANIFESTS: Final = "manifests"


class LakeError(SparkJobError):
    """A lake is damaged, or cannot be used as asked."""


class LogKey(NamedTuple):
    """One incarnation of a stream."""

    stream_name: str
    incarnation: int


@dataclass(frozen=True)
class LakeFile:
    """A file of events of one log; `path` is below the lake's folder, offsets are inclusive."""

    path: str
    size: int
    sha256: str
    stream_name: str
    incarnation: int
    rows: int
    first_offset: int
    last_offset: int

    @property
    def log(self) -> LogKey:
        return LogKey(self.stream_name, self.incarnation)


Observed: TypeAlias = tuple[int, str, str | None, int | None, int | None, str]
"""An observation: at_offset, kind, key (base64), from_offset, to_offset, observed_at (ISO 8601)."""


@dataclass(frozen=True)
class LakeLog:
    """A log as of a run. The lake has its events below `next_offset` that were in the archive when they were new.

    `last_offset` and `last_sha256` identify the last of these events (None: there is none). `observations` are facts
    about the log that are not events, such as sweeps, which a replay needs. `horizon` is the offset and the time (ISO
    8601) of a retention that had detached events before the lake had them.
    """

    stream_name: str
    stream_kind: str
    incarnation: int
    backend: str
    cluster_id: str | None
    topic_id: str | None
    created_at: str
    is_current: bool
    is_complete: bool
    next_offset: int
    last_offset: int | None
    last_sha256: str | None
    observations: tuple[Observed, ...] = ()
    horizon: tuple[int, str] | None = None

    @property
    def key(self) -> LogKey:
        return LogKey(self.stream_name, self.incarnation)


@dataclass(frozen=True)
class Manifest:
    """What one run added (`files`), and every log as of that run."""

    number: int
    logs: tuple[LakeLog, ...]
    files: tuple[LakeFile, ...]


@dataclass(frozen=True)
class Lake:
    """The contents of a lake after all of its runs; `number` 0: there was none yet."""

    number: int
    logs: Mapping[LogKey, LakeLog]
    files: tuple[LakeFile, ...]

    def files_of(self, logs: Iterable[LogKey]) -> list[LakeFile]:
        return [file for log in sorted(set(logs)) for file in self._files_by_log.get(log, ())]

    @cached_property
    def _files_by_log(self) -> Mapping[LogKey, Sequence[LakeFile]]:
        """A lake may have thousands of logs, which are asked for one by one."""
        by_log: dict[LogKey, list[LakeFile]] = {}
        for file in sorted(self.files, key=lambda each: each.first_offset):
            by_log.setdefault(file.log, []).append(file)
        return by_log


def is_lake(place: str) -> bool:
    """Whether a path has a lake's manifests; a URI of another file system than the local one is taken for a lake."""
    local = local_path(place)
    return local is None or (local / MANIFESTS).is_dir()


def to_json(manifest: Manifest) -> str:
    return json.dumps({"format": FORMAT, **asdict(manifest)}, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str | bytes, path: str) -> Manifest:
    """Parse a manifest. Raises LakeError, which names the file `path`."""
    try:
        values = json.loads(text)
        if values.pop("format") != FORMAT:
            raise LakeError(f"Manifest '{path}' has another format. Use the version of coordstream that wrote it.")
        logs = tuple(LakeLog(**_log_values(log)) for log in values.pop("logs"))
        files = tuple(LakeFile(**file) for file in values.pop("files"))
        return Manifest(**values, logs=logs, files=files)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LakeError(f"Manifest '{path}' is damaged ({type(error).__name__}). Restore the file.") from error


def _log_values(log: dict[str, Any]) -> dict[str, Any]:
    horizon = log.get("horizon")
    observations = tuple(tuple(observed) for observed in log["observations"])
    return {**log, "observations": observations, "horizon": None if horizon is None else tuple(horizon)}


def merge_manifests(output: str, manifests: Sequence[Manifest]) -> Lake:
    """The lake that these manifests describe. Raises LakeError if one is missing."""
    in_order = sorted(manifests, key=lambda manifest: manifest.number)
    for expected, manifest in enumerate(in_order, start=1):
        if manifest.number != expected:
            raise LakeError(f"Lake '{output}' lacks the manifest of run {expected}. Restore {manifest_path(expected)}.")
    newest = in_order[-1] if in_order else Manifest(0, (), ())
    files = tuple(file for manifest in in_order for file in manifest.files)
    return Lake(newest.number, {log.key: log for log in newest.logs}, files)


def manifest_path(number: int) -> str:
    return f"{MANIFESTS}/{number:08d}.json"
