"""Messages on standard error, beside what a command prints."""

import sys
from collections.abc import Iterable

from eventlog.errors import printable_text


def note(text: str) -> None:
    """Print a sentence, unless it is empty; the command goes on. Names in it may have control characters."""
    if text:
        print(printable_text(text), file=sys.stderr)


def warn(sentences: Iterable[str]) -> None:
    """Print each sentence as a warning, after what standard output has so far."""
    sys.stdout.flush()  # or else the warnings would come first where both go to one file
    for sentence in sentences:
        note(f"warning: {sentence}")
