"""The golden vectors beside this file: bytes and answers made by Samza's own classes."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def kinds() -> list[str]:
    """The kinds that there are files of."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def vectors(kind: str) -> list[dict[str, Any]]:
    """All vectors of a kind."""
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{kind}.json").read_bytes())["vectors"]
    return found


def decoded(text: str | None) -> bytes | None:
    """Bytes of a ``*_b64`` field."""
    return None if text is None else b64decode(text)
