"""What the fold depends on beside the events."""

from dataclasses import dataclass
from typing import Final

from eventlog.secrets import SecretPolicy

CODE_VERSION: Final = 2
"""Goes up whenever the same events would give other rows."""


@dataclass(frozen=True)
class FoldSettings:
    """Frozen settings of a fold: which values are secrets and how they show."""

    secrets: SecretPolicy

    @property
    def fold_version(self) -> str:
        """Names code and settings; rows folded under another one do not fit beside ours."""
        return f"{CODE_VERSION}-{self.secrets.identity()}"
