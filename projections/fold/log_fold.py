"""What the fold remembers of one log from batch to batch."""

from functools import lru_cache, partial
from typing import Final

from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from projections.fold.keys import KeyDictionary
from projections.fold.layouts import LayoutDictionary
from projections.fold.template_learning import KnownRoles

BEFORE_THE_FIRST: Final = -1
_SHORT_TEXT: Final = 200  # characters; longer texts are rare, and would fill the cache


class LogFold:
    """A log's dictionaries of keys and layouts, its log_time, and the offset of its last event."""

    def __init__(
        self,
        log_id: int,
        kind: StreamKind,
        secrets: SecretPolicy,
        log_time: int | None = None,
        last_offset: int = BEFORE_THE_FIRST,
        until_log_time: int = 0,
    ) -> None:
        self.log_id = log_id
        self.secrets = secrets
        self.keys = KeyDictionary(kind, secrets)
        self.layouts = LayoutDictionary()
        self.roles: KnownRoles = {}
        self.log_time = log_time
        self.until_log_time = until_log_time
        self.last_offset = last_offset
        # not a method: `no_collections` never frees a cycle
        self.masked_author = lru_cache(maxsize=1_000)(partial(_masked_author, secrets))
        self._short_holds_secret = lru_cache(maxsize=4_000)(secrets.holds_secret)

    def holds_secret(self, text: str) -> bool:
        """Return whether a text contains a secret; cached, because each start of a job writes the same config again."""
        return self._short_holds_secret(text) if len(text) <= _SHORT_TEXT else self.secrets.holds_secret(text)


def _masked_author(secrets: SecretPolicy, *author: str | None) -> tuple[str | None, ...]:
    """Source, host and username are free texts, which may contain a secret too. There are few of them."""
    return tuple(None if text is None else secrets.mask_text(text) for text in author)
