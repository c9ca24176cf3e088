"""Layouts of a batch are numbered by their first offsets, whatever the order in which they were come upon."""

from projections.fold.checkpoints import BatchLayouts, LayoutDictionary, LayoutEntry

OLD, ONE, TWO = ((LayoutEntry(number, -1, False, "k", "in"),) for number in range(3))


def test_a_known_layout_has_its_own_number_at_once() -> None:
    layouts = LayoutDictionary()
    layouts.remember(3, OLD)
    assert BatchLayouts(layouts).id_of(OLD, 7) == 3


def test_new_ones_are_numbered_in_the_order_of_their_offsets() -> None:
    layouts = LayoutDictionary()
    layouts.remember(3, OLD)
    new = BatchLayouts(layouts)
    one, two = new.id_of(ONE, 7), new.id_of(TWO, 6)
    assert new.id_of(ONE, 9) == one < 0
    assert new.id_of(TWO, 5) == two < 0
    assert new.number() == {two: 4, one: 5}
    assert layouts.new == [(4, TWO), (5, ONE)]
