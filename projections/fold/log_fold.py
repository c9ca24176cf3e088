"""What the fold remembers of one log from batch to batch."""

from functools import lru_cache, partial
from typing import Final

from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from projections.fold.keys import KeyDictionary
from projections.fold.layouts import LayoutDictionary
from projections.fold.plain_configs import Author, PlainConfigs
from projections.fold.template_learning import KnownRoles

BEFORE_THE_FIRST: Final = -1


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
        self.plain_configs = PlainConfigs(secrets, self.masked_author)


def _masked_author(secrets: SecretPolicy, *author: str | None) -> Author:
    """Source, host and username are free texts, which may contain a secret too. There are few of them."""
    return tuple(None if text is None else secrets.mask_text(text) for text in author)
