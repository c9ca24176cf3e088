"""From where a store is restored to which offset of its changelog."""

from pathlib import Path
from typing import Final

import pytest

from managers.state.changelog_restore import StoreToRestore, plan_restore

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
        # not transactional: the end of the changelog, from the store's own directory
        ({"is_transactional": False}, (None, 5, 20, False)),
        ({"is_transactional": False, "local": {NEW: 10}}, (NEW, 11, 20, False)),
        ({"is_transactional": False, "local": {NEW: 20}}, (NEW, 21, 20, False)),
        ({"is_transactional": False, "local": {NEW: 2}}, (None, 5, 20, False)),
        ({"is_transactional": False, "local": {NEW: 21}}, (None, 5, 20, False)),
        ({"is_transactional": False, "newest": 4}, (None, 5, 4, True)),
    ],
)
def test_the_directory_the_first_and_the_last_change_and_whether_there_is_doubt(
    state: dict[str, object], expected: tuple[Path | None, int, int | None, bool]
) -> None:
    plan = plan_restore(STORE._replace(**state))  # type: ignore[arg-type]
    assert (plan.directory, plan.first, plan.last, bool(plan.doubt)) == expected
