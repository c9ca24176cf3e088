"""Characters that JSON can contain but Postgres' text cannot: NUL, and halves of surrogate pairs."""

import re
from typing import Any, Final

from eventlog.errors import WireError

_NOT_STORABLE: Final = re.compile("[\0\ud800-\udfff]")


def require_storable(data: bytes, decoded: Any) -> None:
    """Raise `WireError` (``nul``, ``surrogate``) if a text in what was decoded from ``data`` cannot be stored.

    Only an escape can put such a character into JSON, so data without an escape is not searched.
    """
    if b"\\u" in data:
        _require(decoded)


def require_storable_text(text: str) -> None:
    """Raise `WireError` (``nul``, ``surrogate``) if a text cannot be stored."""
    found = _NOT_STORABLE.search(text)
    if found is None:
        return
    if found[0] == "\0":
        raise WireError("nul", "a text contains U+0000")
    raise WireError("surrogate", "a text contains half of a surrogate pair")


def _require(value: Any) -> None:
    if isinstance(value, str):
        require_storable_text(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            _require(name)
            _require(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _require(inner)
