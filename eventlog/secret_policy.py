"""What is a secret, and the fingerprint that replaces it everywhere except in the bytes of the archive."""

import hashlib
import hmac
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote

from eventlog.secret_texts import SecretNames, has_secret_form, has_token, is_word

DEFAULT_SECRET_PATTERNS: Final = (
    "password",
    "passwd",
    "secret",
    "token",
    "credential",
    "jaas.config",
    "api.key",
    "access.key",
    "private.key",
    "passphrase",
    "account.key",  # Azure, also Hadoop's fs.azure.account.key.<account>.<host>
    "encryption.key",
    "signing.key",
    "keystore.key",  # this and the next two are of type PASSWORD in Kafka's SslConfigs
    "certificate.chain",
    "truststore.certificates",
    "azure.sas",  # Hadoop's fs.azure.sas.<container>.<account>.<host>
    "auth.user.info",  # of type PASSWORD in the Schema Registry's client
)
FINGERPRINT_PREFIX: Final = "hmac-sha256:"
_FINGERPRINT: Final = re.compile(re.escape(FINGERPRINT_PREFIX) + "[0-9a-f]{64}")
_FINGERPRINT_BYTES: Final = re.compile(_FINGERPRINT.pattern.encode())
_UNICODE_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_PERCENT_ENCODED: Final = re.compile("%[0-9a-fA-F]{2}")
_JSON_STARTS: Final = ("{", "[", '"')
_NAMING_FIELDS: Final = ("name", "key")  # {"name": "db.password", "value": ...}


def holds_fingerprint(data: bytes) -> bool:
    """Whether the data contains a fingerprint, which a job would use in place of the secret."""
    return _FINGERPRINT_BYTES.search(data) is not None


@dataclass(frozen=True)
class SecretPolicy:
    """What is a secret, and how it is masked.

    ``key`` is the mask key: the same secret always has the same fingerprint, so that one can see whether
    it changed but not its value. ``patterns`` are parts of names, in any case; a dot within one also matches ``_``,
    ``-`` or nothing. Names that end with some words (`SecretNames`) and values of known form (`has_secret_form`) are
    secrets with any patterns.
    """

    key: bytes = field(repr=False)
    patterns: tuple[str, ...] = DEFAULT_SECRET_PATTERNS

    @cached_property
    def _names(self) -> SecretNames:
        return SecretNames(self.patterns)

    def is_secret_name(self, name: str) -> bool:
        """Whether every value with this name (of a config key or a field) is a secret."""
        return self._names.is_secret(name)

    def holds_secret(self, text: str) -> bool:
        """Whether a text contains a secret of known form (`has_secret_form`), or the name and value of one."""
        return self._mask_nested(text) != text

    def fingerprint(self, secret: str | bytes) -> str:
        """What replaces a secret: ``hmac-sha256:`` and 64 hexadecimal digits. A fingerprint is returned unchanged."""
        data = secret.encode("utf-8", "surrogatepass") if isinstance(secret, str) else secret
        text = data.decode("latin-1")
        if _FINGERPRINT.fullmatch(text):
            return text
        return FINGERPRINT_PREFIX + hmac.new(self.key, data, hashlib.sha256).hexdigest()

    def mask_text(self, text: str) -> str:
        """The text, or its fingerprint if it contains a secret."""
        return self.fingerprint(text) if self.holds_secret(text) else text

    def mask_json(self, value: Any) -> Any:
        """A decoded JSON value with a fingerprint in place of each secret, also in JSON nested as text."""
        if isinstance(value, str):
            return self._mask_nested(value)
        if isinstance(value, Mapping):
            return dict(self._mask_fields(value.items()))
        if isinstance(value, list):
            return self._mask_items(value)
        if isinstance(value, _DuplicateFields):
            return _DuplicateFields(self._mask_fields(value))
        return value

    def mask_json_text(self, text: str) -> str:
        """As `mask_json` for JSON text, which is unchanged if it has no secret; other text is masked as a whole."""
        try:
            value = json.loads(text, object_pairs_hook=_object)
            masked = self.mask_json(value)
            if masked == value:
                return text
            written = json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
            return written.encode(errors="backslashreplace").decode()  # half a surrogate pair stays an escape
        except (ValueError, RecursionError):
            return self._mask_plain(text)

    def identity(self) -> str:
        """A digest of the policy that reveals neither key nor patterns: 16 hexadecimal digits."""
        data = "\0".join(self.patterns).encode()
        return hmac.new(self.key, b"coordstream secret policy\0" + data, hashlib.sha256).hexdigest()[:16]

    def _mask_fields(self, fields: Collection[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        namings = (value for name, value in fields if name.lower() in _NAMING_FIELDS)
        names_secret = any(isinstance(name, str) and self.is_secret_name(name) for name in namings)
        for name, value in fields:
            is_secret = value is not None and (self.is_secret_name(name) or (names_secret and name.lower() == "value"))
            yield self._mask_plain(name), self._fingerprint_json(value) if is_secret else self.mask_json(value)

    def _fingerprint_json(self, value: Any) -> str:
        return self.fingerprint(value if isinstance(value, str) else json.dumps(value))

    def _mask_nested(self, text: str) -> str:
        return self.mask_json_text(text) if text.lstrip()[:1] in _JSON_STARTS else self._mask_plain(text)

    def _mask_plain(self, text: str) -> str:
        return self.fingerprint(text) if any(map(self._holds_plainly, _spellings(text))) else text

    def _mask_items(self, items: list[Any]) -> list[Any]:
        """A list's items; an item after an option for a secret, as in a command line, is that option's argument."""
        return [
            self.fingerprint(item) if self._is_argument(before, item) else self.mask_json(item)
            for before, item in zip([None, *items], items, strict=False)
        ]

    def _is_argument(self, before: Any, item: Any) -> bool:
        if not isinstance(before, str) or not isinstance(item, str) or item.startswith("-"):
            return False
        return self._names.is_secret_option(before)

    def _holds_plainly(self, text: str) -> bool:
        """As `holds_secret` for a text that is neither JSON nor escaped or percent-encoded."""
        if is_word(text):  # as most config values are; all searches would take twice as long
            return has_token(text)
        return has_secret_form(text) or self._names.are_assigned_in(text)


class _DuplicateFields(tuple[tuple[str, Any], ...]):
    """The fields of an object with a duplicate name, of which a dict would hide the first value."""

    __slots__ = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _DuplicateFields:
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else _DuplicateFields(pairs)


def _spellings(text: str) -> Iterator[str]:
    """The text, and what it is without escapes, as in JSON, and without percent-encoding, as in parameters of URLs."""
    yield text
    if "\\u" in text:
        yield _UNICODE_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    if _PERCENT_ENCODED.search(text):
        yield unquote(text)
