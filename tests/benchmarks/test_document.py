"""A part that is measured again replaces its section; the others stay."""

from benchmarks.document import renewed

ORDER = {"first": "One", "second": "Two", "third": "Three"}


def test_sections_stand_in_order_and_only_those_that_were_measured() -> None:
    document = renewed("", ORDER, {"third": ["c", "", "d"], "first": ["a"]})
    assert document.splitlines()[0] == "# Benchmarks"
    assert document.endswith("## One\n\na\n\n## Three\n\nc\n\nd\n")


def test_a_part_alone_is_renewed() -> None:
    old = renewed("", ORDER, {"first": ["a"], "second": ["b", "### deeper"], "third": ["c"]})
    new = renewed(old, ORDER, {"second": ["B"]})
    assert new == renewed("", ORDER, {"first": ["a"], "second": ["B"], "third": ["c"]})
    assert renewed(old, ORDER, {}) == old


def test_unknown_sections_are_dropped() -> None:
    assert "gone" not in renewed("# Old\n\n## Zero\n\ngone\n", ORDER, {"first": ["a"]})
