"""What the fold depends on beside the events."""

from dataclasses import dataclass
from typing import Final

from eventlog.secret_policy import SecretPolicy

CODE_VERSION: Final = 12
"""Goes up whenever the same events would give other rows."""

NOT_FOLDED: Final = "none"
"""Stands in place of a fold version where nothing of a log is folded: its rows were lost with their tables."""


@dataclass(frozen=True)
class FoldSettings:
    """Frozen settings of a fold: which values are secrets and how they show."""

    secrets: SecretPolicy

    @property
    def fold_version(self) -> str:
        """Names code and settings; rows folded under another one do not fit beside ours."""
        return f"{CODE_VERSION}-{self.secrets.identity()}"

    def follows(self, fold_version: str) -> bool:
        """Whether rows of that version were folded by this code or older code, with the same settings."""
        if fold_version == NOT_FOLDED:
            return True
        code, _, identity = fold_version.partition("-")
        return identity == self.secrets.identity() and int(code) <= CODE_VERSION
