"""The order of names with numbers in them: ``Partition 2`` comes before ``Partition 10``."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"([0-9]+)")


def natural_order(name: str) -> tuple[list[tuple[int, str]], str]:
    """A key to sort names by, which compares their numbers by value. Only the digits 0 to 9 make a number."""
    texts_and_numbers = _NUMBER.split(name)  # by turns
    parts = [_value(part) if at % 2 else (0, part) for at, part in enumerate(texts_and_numbers)]
    return parts, name


def _value(digits: str) -> tuple[int, str]:
    """Sorts as the number does, which may be longer than ``int`` accepts."""
    significant = digits.lstrip("0")
    return len(significant), significant
