"""A page of a long list."""

from collections.abc import Sequence
from typing import NamedTuple

from coordstream.queries.rows import Row


class Page(NamedTuple):
    """Some rows of a list, which page of it they are (from 1), and how long the list is."""

    rows: list[Row]
    number: int
    pages: int
    total: int
    first: int
    """The place in the list of the first row, from 1."""


def page_of(rows: Sequence[Row], number: int, page_rows: int) -> Page:
    """The page with a number; the last one if there are fewer."""
    page = page_to_fill(len(rows), number, page_rows)
    return page._replace(rows=list(rows[page.first - 1 :][:page_rows]))


def page_to_fill(total: int, number: int, page_rows: int) -> Page:
    """As `page_of`, of a list with ``total`` rows, but without its rows."""
    pages = max(-(-total // page_rows), 1)
    shown = min(number, pages)
    return Page([], shown, pages, total, (shown - 1) * page_rows + 1)
