"""The order of the SQL files follows from what they use; what does not fit is one clear error."""

import pytest

from projections.relation_files import definitions, tables
from projections.relation_order import creation_order

A_USES_B: dict[str, str] = {
    "one/a": "create view projection.a as select * from projection.b;",
    "two/b": "create function projection.b() returns integer language sql as $$ select 1 $$;",
}


def test_a_file_comes_after_those_that_create_what_it_uses() -> None:
    assert creation_order(A_USES_B, ()) == ["two/b", "one/a"]


def test_the_order_does_not_depend_on_the_order_of_the_files() -> None:
    ours = definitions()
    assert creation_order(dict(reversed(ours.items())), tables()) == creation_order(ours, tables())


def test_every_file_comes_once() -> None:
    assert sorted(creation_order(definitions(), tables())) == list(definitions())


def test_comments_and_texts_are_not_uses() -> None:
    sql = "-- See projection.c, the reader's.\ncreate view projection.a as select 'projection.''b -- no' as x;\n"
    assert creation_order({"a": sql}, ()) == ["a"]


def test_a_file_can_use_what_it_creates() -> None:
    sql = "create function projection.a() ...;\ncreate view coordinator.a as select * from projection.a();"
    assert creation_order({"a": sql}, ()) == ["a"]


def test_a_declared_need_of_everything_comes_last() -> None:
    files = {"all": "-- Needs: *\ngrant ...", "after": "-- Needs: *, all\ncomment ...", **A_USES_B}
    assert creation_order(files, ()) == ["two/b", "one/a", "all", "after"]


def test_a_use_of_nothing_that_exists_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^The SQL file 'one/a' uses 'projection\.b', which is not a table and which"):
        creation_order({"one/a": A_USES_B["one/a"]}, ())
    assert creation_order({"one/a": A_USES_B["one/a"]}, ("projection.b",)) == ["one/a"]


def test_a_declared_need_of_nothing_that_exists_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^The SQL file 'a' needs 'b', which does not exist\.$"):
        creation_order({"a": "-- Needs: b\n"}, ())


def test_files_that_need_each_other_are_an_error() -> None:
    files = {**A_USES_B, "two/b": "create view projection.b as select * from projection.a;"}
    with pytest.raises(ValueError, match=r"^SQL files need each other: one/a -> two/b -> one/a\.$"):
        creation_order(files, ())
