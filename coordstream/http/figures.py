"""What a process serves of itself: its figures as metrics, and whether it hangs."""

from collections.abc import Sequence
from typing import Final, NamedTuple

HANGS_AFTER_SECONDS: Final = 60.0
"""How long the loop of a process may take for one turn before the process counts as hanging."""


class Figure(NamedTuple):
    """A metric: its name without ``coordstream_`` and ``_total``, and its values by those of its labels."""

    name: str
    help: str
    values: Sequence[tuple[Sequence[str], float]]
    labels: Sequence[str] = ()
    is_counter: bool = False
    """Whether it only grows while the process runs."""


def gauge(name: str, help_text: str, value: float) -> Figure:
    """A metric with one value."""
    return Figure(name, help_text, [((), value)])


def counter(name: str, help_text: str, value: float) -> Figure:
    """A metric with one value, which only grows."""
    return Figure(name, help_text, [((), value)], is_counter=True)
