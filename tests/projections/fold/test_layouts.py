"""Layouts are numbered once; the empty one is number 0 and needs no rows."""

from projections.fold.layouts import NO_OFFSETS, LayoutDictionary, LayoutEntry

ONE = (LayoutEntry(0, -1, False, "k", "in"),)
TWO = (LayoutEntry(1, -1, False, "k", "in"),)


def test_the_same_layout_has_the_same_number() -> None:
    layouts = LayoutDictionary()
    assert [layouts.id_of(layout) for layout in (ONE, TWO, ONE, ())] == [1, 2, 1, NO_OFFSETS]
    assert layouts.new == [(1, ONE), (2, TWO)]


def test_stored_layouts_come_back_and_new_ones_follow_them() -> None:
    layouts = LayoutDictionary()
    layouts.remember(5, TWO)
    assert [layouts.id_of(layout) for layout in (TWO, ONE)] == [5, 6]
    assert layouts.new == [(6, ONE)]
