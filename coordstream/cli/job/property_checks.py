"""Checks of a property file beyond its syntax: what no stream can store, and what may not mean what it seems to."""

from collections.abc import Iterator, Sequence
from typing import Final

from eventlog.errors import printable_text
from managers.config.job_config import config_value
from managers.config.property_file import Property, PropertyFileError
from managers.stored_messages import make_envelope

MOST_BYTES: Final = 1_000_000
"""Of an event that every topic of Samza accepts (``max.message.bytes``, with its overhead)."""


def require_storable(properties: Sequence[Property], place: str) -> None:
    """Raise `PropertyFileError` for a line that is too long for a topic: a part of the config would be written."""
    envelope = make_envelope()
    for line, key, value in properties:
        size = len(key.encode()) + len(config_value(key, value, envelope))
        if size > MOST_BYTES:
            reason = f"{printable_text(key)} needs {size} bytes on the stream. Expected at most {MOST_BYTES}"
            raise PropertyFileError(place, line, reason)


def doubts(file: bytes, properties: Sequence[Property], place: str) -> Iterator[str]:
    """Sentences about keys with several values, and about a file that seems to be in UTF-8. No value is shown."""
    first: dict[str, Property] = {}
    for each in properties:
        earlier = first.setdefault(each.key, each)
        if earlier.value != each.value:
            yield (
                f"{place} sets {printable_text(each.key)} in line {earlier.line} and again in line {each.line}. The "
                "last value counts."
            )
    if not file.isascii() and _is_utf8(file):
        number = next(at for at, line in enumerate(file.splitlines(), 1) if not line.isascii())
        yield (
            f"{place} seems to be in UTF-8 (line {number}), but Samza reads property files in ISO-8859-1. Write other "
            "characters as \\uXXXX."
        )


def _is_utf8(file: bytes) -> bool:
    try:
        file.decode()
    except UnicodeDecodeError:
        return False
    return True
