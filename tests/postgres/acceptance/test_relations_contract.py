"""What docs/relations.md claims of each relation holds, in a recorded job and in odd ones: nothing is said twice."""

from typing import Final

import pytest

from eventlog.postgres.connection import Connection
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.odd_jobs import (
    import_odd_jobs,
    import_recording_a,
    leave_receipts,
    observe_inputs_of_recording_a,
)
from tests.fixtures.documentation.relations_page import Relation, parse_page

pytestmark = pytest.mark.slow

PAGE: Final = (CHECKOUT / "docs" / "relations.md").read_text(encoding="utf-8")
RELATIONS: Final = parse_page(PAGE)
relations = pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)


@pytest.fixture(scope="module")
def odd(database: Connection) -> Connection:
    """A database with the recorded job and the odd ones."""
    import_recording_a(database)
    import_odd_jobs(database)
    observe_inputs_of_recording_a(database)
    leave_receipts(database, 20)
    database.execute("analyze")
    return database


@relations
def test_the_key_is_unique_and_a_column_is_null_only_as_documented(odd: Connection, relation: Relation) -> None:
    never = [column.name for column in relation.columns if column.null_when is None]
    counted = ", ".join([f"count(distinct row({', '.join(relation.key)}))", *(f"count({name})" for name in never)])
    found = odd.execute(f"select count(*), {counted} from coordinator.{relation.name}".encode()).fetchone()
    assert found is not None
    rows, keys, *filled = found
    assert rows > 0
    assert keys == rows
    assert {name: count for name, count in zip(never, filled, strict=True) if count < rows} == {}
