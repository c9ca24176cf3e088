"""Reads config messages as Samza spells them, which most messages of a coordinator stream are, without parsing JSON."""

import json
import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from eventlog.secrets.secret_forms import has_token, is_word
from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.timestamps import storable_micros
from projections.fold.message_bodies import JSONB_VERSION, config_body, encode_body

Author = tuple[str | None, ...]
"""Source, host and username of an envelope, with secrets masked."""

PlainConfig = tuple[bytes, Author, int | None]
"""The encoded body of a config message, its author, and its time in microseconds since 2000."""

_SHORT_TEXT: Final = 200  # characters; longer texts are rare, and would fill the cache
_PLAIN_CHARACTERS: Final = rb"[ !#-\[\]-~]*"  # ASCII without quote and backslash is the same in JSON, UTF-8 and jsonb
_match: Final = re.compile(
    rb'(\{"host":"%b","source":"%b","values":\{"value":")(%b)("\},"username":"%b","timestamp":)(0|[1-9][0-9]{0,17})\}'
    % ((_PLAIN_CHARACTERS,) * 4)
).fullmatch


class PlainConfigs:
    """Remembers authors and whether values contain secrets: each start of a job writes the same config again.

    ``masked_author`` masks source, host and username.
    """

    def __init__(self, secrets: SecretPolicy, masked_author: Callable[..., Author]) -> None:
        self._secrets = secrets
        # not methods: `no_collections` never frees a cycle
        self._author = lru_cache(maxsize=1_000)(partial(_author, masked_author))
        self._short_holds_secret = lru_cache(maxsize=4_000)(secrets.holds_secret)

    def read(self, value: bytes, is_sensitive: bool) -> PlainConfig | None:
        """What a set-config value says; ``is_sensitive``: its key names a secret.

        None: the value is spelled differently, or a text is not plain ASCII.
        """
        found = _match(value)
        if found is None:
            return None
        before, text, after, timestamp = found.groups()
        if is_sensitive or self._holds_secret(text.decode()):
            body = encode_body(config_body(text.decode(), is_sensitive, self._secrets))
        else:
            body = b'%b{"config_value": "%b"}' % (JSONB_VERSION, text)
        return body, self._author(before, after), storable_micros(int(timestamp))

    def _holds_secret(self, text: str) -> bool:
        if is_word(text):  # as most are; this takes less time than to look for it in a cache and not to find it
            return has_token(text)
        return self._short_holds_secret(text) if len(text) <= _SHORT_TEXT else self._secrets.holds_secret(text)


def _author(masked_author: Callable[..., Author], before: bytes, after: bytes) -> Author:
    """Return the author in what surrounds the text and the time of a value."""
    envelope = json.loads(before + after + b"0}")
    return masked_author(envelope["source"], envelope["host"], envelope["username"])
