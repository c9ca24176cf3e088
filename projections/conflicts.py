"""Transactions that Postgres rolls back because they conflict with another one: they are retried at once."""

from collections.abc import Callable
from typing import Final, TypeVar

from psycopg import errors

CONFLICTS: Final = (errors.DeadlockDetected, errors.SerializationFailure)
CONFLICT_TRIES: Final = 5

Result = TypeVar("Result")


def retry_conflicts(step: Callable[[], Result]) -> Result:
    """Return the result of a step that is one transaction; try it again after a conflict, `CONFLICT_TRIES` times."""
    for _ in range(CONFLICT_TRIES):
        try:
            return step()
        except CONFLICTS:
            continue
    return step()
