"""Sentences about the rows of a job's histories. The state before a row tells what the row changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from coordstream.queries.rows import Row, input_partition, printable
from coordstream.queries.startpoints import type_and_value

Seen = dict[tuple[Any, ...], Any]
"""The last offset, host or container by what it belongs to."""


@dataclass
class Narrator:
    """Turns rows into sentences, in the order of the log; ``seen`` is the state before the first of them."""

    seen: Seen = field(default_factory=dict)

    def sentence(self, kind: str, row: Row) -> str | None:
        """What a row of the history of a kind says; None: nothing that was not so before."""
        return KINDS[kind].sentence(self, row)

    def checkpoint(self, row: Row) -> str:
        """A commit, and how far the task went since the one before."""
        if row["operation"] == "delete":
            return f"The checkpoint of {printable(row['task_name'])} was deleted"
        if row["system_name"] is None:
            return f"{printable(row['task_name'])} committed no partitions"
        number = row["input_offset_number"]
        before = self._replace(("checkpoint", row["task_name"], input_partition(row)), number)
        moved = "" if before is None or number is None else f" ({number - before:+,})"
        task, offset, partition = map(printable, (row["task_name"], row["input_offset"], input_partition(row)))
        return f"{task} committed {offset} of {partition}{moved}"

    def config(self, row: Row) -> str:
        """A changed key."""
        values = f"{printable(row['previous_value'])} → {printable(row['config_value'])}"
        return f"{_writer(row)} changed {printable(row['config_key'])}: {values}"

    def container(self, row: Row) -> str | None:
        """A container on another host."""
        name, host = f"Container {printable(row['container_id'])}", row["host_name"]
        before = self._replace(("container", row["container_id"]), host)
        if host is None:
            return f"{name} was removed"
        return None if host == before else f"{name} {'started on' if before is None else 'moved to'} {printable(host)}"

    def task(self, row: Row) -> str | None:
        """A task in another container."""
        container = row["container_id"]
        before = self._replace(("task", row["task_name"]), container)
        if container is None:
            return f"{printable(row['task_name'])} was removed from its container"
        how = "is in" if before is None else "moved to"
        return None if container == before else f"{printable(row['task_name'])} {how} container {printable(container)}"

    def startpoint(self, row: Row) -> str:
        """A step in the life of a startpoint."""
        task = "" if row["task_name"] is None else f" of {printable(row['task_name'])}"
        status = row["status"].replace("_", " ")
        return f"Startpoint for {printable(input_partition(row))}{task}, {type_and_value(row)}: {status}"

    def _replace(self, key: tuple[Any, ...], value: Any) -> Any:
        before, self.seen[key] = self.seen.get(key), value
        return before


def _writer(row: Row) -> str:
    """The program and the host, as far as the envelope of the message has them."""
    known = [printable(row[name]) for name in ("source", "host") if row[name] is not None]
    return "@".join(known) or "Someone"


class Kind(NamedTuple):
    """A kind of events: the history that has them, and the sentence about a row of it.

    ``only_preferred``: leave out the versions of checkpoints that the job does not read.
    """

    relation: str
    sentence: Callable[[Narrator, Row], str | None]
    only_preferred: bool = False


KINDS: Final[Mapping[str, Kind]] = {
    "checkpoint": Kind("checkpoint_history", Narrator.checkpoint, only_preferred=True),
    "config": Kind("config_change", Narrator.config),
    "container": Kind("container_host_history", Narrator.container),
    "startpoint": Kind("startpoint_history", Narrator.startpoint),
    "task": Kind("task_container_history", Narrator.task),
}
