"""What Postgres' text can't hold although JSON can: NUL, and halves of surrogate pairs."""

import re
from typing import Any, Final

from eventlog.errors import WireError

_NOT_HELD: Final = re.compile("[\0\ud800-\udfff]")


def require_held(data: bytes, decoded: Any) -> None:
    """Raise `WireError` (``nul``, ``surrogate``) if a text of what was decoded from ``data`` can't be stored.

    Only an escape can bring such a character into JSON, so data without one need not be looked at.
    """
    if b"\\u" in data:
        _require(decoded)


def refuse_unheld(text: str) -> None:
    """Raise `WireError` (``nul``, ``surrogate``) if a text can't be stored."""
    found = _NOT_HELD.search(text)
    if found is None:
        return
    if found[0] == "\0":
        raise WireError("nul", "a text holds U+0000")
    raise WireError("surrogate", "a text holds half of a surrogate pair")


def _require(value: Any) -> None:
    if isinstance(value, str):
        refuse_unheld(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            _require(name)
            _require(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _require(inner)
