"""What the fold depends on beside the events."""

from dataclasses import dataclass
from typing import Final

from eventlog.messages import KEYED_BY_PLACE
from eventlog.secret_policy import SecretPolicy
from projections.errors import NOT_FOLDED

CODE_VERSION: Final = 9 + len(KEYED_BY_PLACE)
"""Goes up whenever the same events would give other rows: by itself with each type of message that has a relation."""


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
