"""From where a store is restored to which offset of its changelog."""

from pathlib import Path
from typing import Final

import pytest

from managers.state.changelog_restore import RestorePlan, StoreToRestore, plan_restore

OLD: Final = Path("store-1-1")
NEW: Final = Path("store-2-2")
STORE: Final = StoreToRestore(
    oldest=5,
    newest=20,
    checkpointed=10,
    checkpoint_age_ms=0,
    min_compaction_lag_ms=1000,
    retains_existing=True,
    local={},
)


def plan(**state: object) -> tuple[Path | None, int, int | None, bool]:
    """The plan of a store, and whether the result may not be the state of its last commit."""
    found = plan_restore(STORE._replace(**state))  # type: ignore[arg-type]
    return found.directory, found.first, found.last, bool(found.doubt)


@pytest.mark.scenario("CSM-05")
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({}, (None, 5, 10, False)),
        ({"checkpointed": 20}, (None, 5, 20, False)),
        ({"checkpointed": 5}, (None, 5, 5, False)),
        ({"checkpointed": 5, "newest": 5}, (None, 5, 5, False)),
        # newer than the end, or older than the begin: all changes
        ({"checkpointed": 25}, (None, 5, 20, True)),
        ({"checkpointed": 25, "local": {NEW: 25}}, (None, 5, 20, True)),
        ({"checkpointed": 3}, (None, 5, 20, True)),
        ({"checkpointed": 3, "local": {OLD: 3}}, (None, 5, 20, True)),
        # never committed: all changes or none
        ({"checkpointed": None}, (None, 5, 20, True)),
        ({"checkpointed": None, "local": {OLD: 7, NEW: 9}}, (None, 5, 20, True)),
        ({"checkpointed": None, "retains_existing": False}, (None, 5, None, False)),
        ({"checkpointed": None, "retains_existing": False, "local": {OLD: 7}}, (None, 5, None, False)),
        ({"checkpointed": None, "newest": -1, "oldest": 0}, (None, 0, None, False)),
        # changes before the commit may be compacted: nothing is reverted
        ({"checkpoint_age_ms": 901}, (None, 5, 20, True)),
        ({"checkpoint_age_ms": None}, (None, 5, 20, True)),
        ({"checkpoint_age_ms": 901, "checkpointed": 20}, (None, 5, 20, False)),  # none after the commit
        ({"checkpoint_age_ms": None, "checkpointed": 20, "local": {NEW: 20}}, (NEW, 21, 20, False)),
        ({"checkpoint_age_ms": 900}, (None, 5, 10, False)),
        ({"checkpoint_age_ms": 901, "local": {OLD: 7, NEW: 15}}, (NEW, 16, 20, True)),
        # a local checkpoint, and what follows it
        ({"local": {OLD: 7}}, (OLD, 8, 10, False)),
        ({"local": {OLD: 7, NEW: 9}}, (NEW, 10, 10, False)),
        ({"local": {OLD: 7, NEW: 10}}, (NEW, 11, 10, False)),
        ({"local": {OLD: 10, NEW: 11}}, (OLD, 11, 10, False)),
        ({"local": {OLD: 10, NEW: 10}}, (OLD, 11, 10, False)),
        ({"local": {NEW: 11}}, (None, 5, 10, False)),
        ({"local": {OLD: 4}}, (None, 5, 10, False)),
        ({"local": {OLD: 5}, "checkpointed": 5, "newest": 5}, (OLD, 6, 5, False)),
    ],
)
def test_the_plan_of_transactional_state(
    state: dict[str, object], expected: tuple[Path | None, int, int | None, bool]
) -> None:
    assert plan(**state) == expected


@pytest.mark.parametrize(
    ("offset", "newest", "expected"),
    [
        (None, 20, RestorePlan(None, 5, 20)),
        (10, 20, RestorePlan(NEW, 11, 20)),
        (20, 20, RestorePlan(NEW, 21, 20)),
        (2, 20, RestorePlan(None, 5, 20)),
        (None, 4, RestorePlan(None, 5, 4)),
        (21, 20, RestorePlan(None, 5, 20)),
        (5, 4, RestorePlan(None, 5, 4)),
    ],
)
def test_the_plan_of_other_state(offset: int | None, newest: int, expected: RestorePlan) -> None:
    local = {} if offset is None else {NEW: offset}
    store = STORE._replace(newest=newest, local=local, is_transactional=False)
    assert plan_restore(store) == expected
