"""Which logs the micro-batches read, and from where: a file that the driver writes and the planner of batches reads.

The planner is a process beside the driver, which Spark starts.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

FILE: Final = "assignment.json"


class Assigned(NamedTuple):
    """A log to read from `first_offset` on.

    `generation` differs after each decision of the follower to read from there: planned ranges of another generation
    are outdated. `holder_pid` is the Postgres session that holds the stream.
    """

    generation: int
    topic_id: str | None
    holder_pid: int
    first_offset: int


def write_assignment(folder: Path, assigned: Mapping[str, Assigned]) -> None:
    """Replace the assignment at once, so that no reader sees a part of it."""
    folder.mkdir(parents=True, exist_ok=True)  # it is temporary, and may be removed while the follower runs
    written = folder / f".{FILE}"
    written.write_text(json.dumps(assigned), encoding="utf-8")
    written.replace(folder / FILE)


def read_assignment(folder: Path) -> dict[str, Assigned]:
    """The assignment by stream name; empty if the folder was removed."""
    try:
        stored = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {name: Assigned(*values) for name, values in stored.items()}
