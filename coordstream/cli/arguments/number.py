"""Offsets and numbers of rows as people type them; unlike a range of Typer, without 2^63 - 1 in every help page."""

import re
from typing import Final

import typer

MOST: Final = 2**63 - 1
"""The largest bigint."""

MOST_REPLICAS: Final = 2**15 - 1
_NUMBER: Final = re.compile(r"[+-]?[0-9]+")


def parse_integer(text: str) -> int:
    """A whole number in the digits 0 to 9. Raises ValueError, also for what only Python reads: ``1_000`` or ``٣``."""
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError("Expected a whole number in the digits 0 to 9.")
    return int(text)


def parse_offset(text: str | int) -> int:
    """An offset, from 0. Raises typer.BadParameter."""
    return _parse(text, 0, "an offset, 0 or more")


def parse_shift(text: str | int) -> int:
    """A number of offsets, negative for earlier ones. Raises typer.BadParameter."""
    return _parse(text, -MOST, "a whole number of offsets, such as 100 or -100")


def parse_count(text: str | int) -> int:
    """A number from 1, such as that of rows. Raises typer.BadParameter."""
    return _parse(text, 1, "a number, 1 or more")


def parse_replicas(text: str | int) -> int:
    """A replication factor, which Kafka stores in 16 bits. Raises typer.BadParameter."""
    return _parse(text, 1, "a number from 1 to 32767", most=MOST_REPLICAS)


def parse_limit(text: str | int) -> int:
    """A number of rows, from 0. Raises typer.BadParameter."""
    return _parse(text, 0, "a number, 0 or more")


def _parse(text: str | int, least: int, expected: str, *, most: int = MOST) -> int:
    try:
        number = parse_integer(str(text))
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise typer.BadParameter(f"{str(text)!r}. Expected {expected}.")
    return number
