"""The plain fold of histories: what each event of a coordinator stream said."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from eventlog.events import RecordedEvent
from tests.oracle import (
    RELATION_BY_TYPE,
    ROWS,
    UNREADABLE,
    Row,
    read_coordinator_key,
    read_coordinator_value,
)

HISTORY_ROWS: Final = {
    f"{relation}_history": f"{ROWS[relation]}, operation"
    for relation in (
        *("changelog_mapping", "container_host", "container_execution", "task_container"),
        *("task_mode", "task_partition", "job_coordinator_metadata"),
    )
}
"""The own columns of each history that the plain fold knows."""


def history_rows(events: Sequence[RecordedEvent]) -> dict[str, list[Row]]:
    """Rows of each history after these events of a coordinator stream: own columns, operation, offset."""
    rows: dict[str, list[Row]] = {relation: [] for relation in HISTORY_ROWS}
    for event, (kind, *key), said in _readable(events):
        relation, make = RELATION_BY_TYPE.get(kind, ("", None))
        if make is None or f"{relation}_history" not in rows:
            continue
        nothing = (*key, *(None,) * (len(ROWS[relation].split(", ")) - len(key)))
        made = [] if said is None else make(tuple(key), said)
        operation = "delete" if said is None else "set"
        rows[f"{relation}_history"] += [(*row, operation, event.offset) for row in made or [nothing]]
    return rows


def _readable(events: Sequence[RecordedEvent]) -> Iterator[tuple[RecordedEvent, Row, Any]]:
    """Each event that can be read, what its key means, and what its value says (None: that the key ends)."""
    for event in events:
        try:
            if event.key is not None:
                meaning = read_coordinator_key(event.key)
                said = None if event.value is None else read_coordinator_value(meaning, event.value)
                yield event, meaning, said
        except UNREADABLE:
            continue
