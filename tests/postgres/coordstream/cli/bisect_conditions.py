"""Random conditions for `coordstream bisect`, in SQL and in Python over the rows of the plain fold."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from psycopg import sql

from tests.oracle import ROWS, Row
from tests.oracle_job import Relations

RELATIONS: Final = (
    *("changelog_mapping", "checkpoint", "config", "container_execution", "container_host"),
    *("job_coordinator_metadata", "startpoint_fan_out", "state_checkpoint"),
    *("task_container", "task_mode", "task_partition"),
)
COLUMNS: Final = {relation: ROWS[relation].replace(" ", "").split(",") for relation in RELATIONS}
_NUMBER: Final = COLUMNS["checkpoint"].index("input_offset_number")

Holds = Callable[[Relations], bool]


class Condition(NamedTuple):
    """A condition in SQL, and what it means."""

    text: str
    holds: Holds


def random_conditions(rng: random.Random, states: Sequence[Relations], count: int) -> list[Condition]:
    """Conditions about rows, numbers of rows, offsets and values that these states have, or never have."""
    return [_random_condition(rng, states) for _ in range(count)]


def _random_condition(rng: random.Random, states: Sequence[Relations]) -> Condition:
    make = rng.choice([_row_exists, _row_exists, _row_count, _greatest_offset, _config_value, _config_value])
    condition = make(rng, states)
    return _negated(condition) if rng.random() < 0.2 else condition


def _row_exists(rng: random.Random, states: Sequence[Relations]) -> Condition:
    relation, row = _random_row(rng, states, RELATIONS)
    place = rng.randrange(len(COLUMNS[relation]))
    value = row[place]
    text = f"exists (select from {relation} where {COLUMNS[relation][place]} is not distinct from {_literal(value)})"
    return Condition(text, lambda state: any(one[place] == value for one in state[relation]))


def _row_count(rng: random.Random, states: Sequence[Relations]) -> Condition:
    relation, _ = _random_row(rng, states, RELATIONS)
    least = rng.randint(1, max(len(state[relation]) for state in states) + 1)
    text = f"(select count(*) from {relation}) >= {least}"
    return Condition(text, lambda state: len(state[relation]) >= least)


def _greatest_offset(rng: random.Random, states: Sequence[Relations]) -> Condition:
    _, row = _random_row(rng, states, ["checkpoint"])
    least = (row[_NUMBER] or 0) + rng.choice([-1, 0, 1])

    def holds(state: Relations) -> bool:
        return any(one[_NUMBER] is not None and one[_NUMBER] >= least for one in state["checkpoint"])

    return Condition(f"(select max(input_offset_number) from checkpoint) >= {least}", holds)


def _config_value(rng: random.Random, states: Sequence[Relations]) -> Condition:
    _, (key, value, *_) = _random_row(rng, states, ["config"])
    text = f"(select config_value from config where config_key = {_literal(key)}) = {_literal(value)}"
    return Condition(text, lambda state: value is not None and (key, value) in {one[:2] for one in state["config"]})


def _negated(condition: Condition) -> Condition:
    return Condition(f"not coalesce({condition.text}, false)", lambda state: not condition.holds(state))


def _random_row(rng: random.Random, states: Sequence[Relations], relations: Sequence[str]) -> tuple[str, Row]:
    """A row of one of the relations in one of the states."""
    found = [(name, row) for name in relations for state in states for row in state[name]]
    name = rng.choice(sorted({name for name, _ in found}))
    return name, rng.choice([row for other, row in found if other == name])


def _literal(value: Any) -> str:
    return sql.Literal(value).as_string()
