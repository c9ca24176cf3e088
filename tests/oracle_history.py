"""The plain fold of histories: what each event of a coordinator stream said, and which of them changed the config."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from eventlog.events import RecordedEvent
from tests.oracle import (
    RELATION_BY_TYPE,
    ROWS,
    UNREADABLE,
    Row,
    coordinator_rows,
    coordinator_state,
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
CHANGE_COLUMNS: Final = "config_key, previous_value, config_value, operation"


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


def config_changes(events: Sequence[RecordedEvent]) -> list[Row]:
    """Key, value before and after, operation and offset of each event that changed the config."""
    of_config = [event for event, meaning, _ in _readable(events) if meaning[0] == "set-config"]
    changes: list[Row] = []
    before: dict[str, str] = {}
    for count, event in enumerate(of_config, start=1):
        after = {row[0]: row[1] for row in coordinator_rows(coordinator_state(of_config[:count]))["config"]}
        for key in before.keys() | after.keys():
            if before.get(key) != after.get(key):
                operation = "set" if key in after else "delete"
                changes.append((key, before.get(key), after.get(key), operation, event.offset))
        before = after
    return changes


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
