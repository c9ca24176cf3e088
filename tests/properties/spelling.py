"""The same JSON in other bytes: white space, the order of fields, escapes."""

import json
import random
from typing import Any


class Spelling:
    """Writes JSON as Samza does, or (``respelt`` of the time) as another writer might."""

    def __init__(self, rng: random.Random, respelt: float) -> None:
        self._rng = rng
        self._respelt = respelt

    def write(self, value: Any) -> bytes:
        """One of the spellings of a value."""
        if self._rng.random() >= self._respelt:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        separators = self._rng.choice([(",", ":"), (", ", ": "), (" ,\n", ":\t")])
        return json.dumps(self._shuffled(value), ensure_ascii=self._rng.random() < 0.5, separators=separators).encode()

    def _shuffled(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        names = list(value)
        self._rng.shuffle(names)
        return {name: self._shuffled(value[name]) for name in names}
