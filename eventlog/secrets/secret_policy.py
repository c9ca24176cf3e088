"""Secrets: what counts as one, and the fingerprint that stands in for it everywhere but in the archive's bytes."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from eventlog.secrets.secret_forms import shows_secret
from eventlog.secrets.secret_names import SecretNames

_FIRST_PATTERNS: Final = (
    "password",
    "passwd",
    "secret",
    "token",
    "credential",
    "jaas.config",
    "api.key",
    "access.key",
    "private.key",
)
DEFAULT_SECRET_PATTERNS: Final = (
    *_FIRST_PATTERNS,
    "passphrase",
    "account.key",  # Azure, also Hadoop's fs.azure.account.key.<account>.<host>
    "encryption.key",
    "signing.key",
    "keystore.key",  # this and the next two are of type PASSWORD in Kafka's SslConfigs
    "certificate.chain",
    "truststore.certificates",
    "auth.user.info",  # of type PASSWORD in the Schema Registry's client
)
FINGERPRINT_PREFIX: Final = "hmac-sha256:"
_FINGERPRINT: Final = re.compile(re.escape(FINGERPRINT_PREFIX) + "[0-9a-f]{64}")
_FINGERPRINT_BYTES: Final = re.compile(_FINGERPRINT.pattern.encode())
_UNICODE_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_JSON_STARTS: Final = ("{", "[", '"')
_NAMING_FIELDS: Final = ("name", "key")  # {"name": "db.password", "value": ...} names its secret beside it


def holds_fingerprint(data: bytes) -> bool:
    """Whether a fingerprint stands in the data, which a job would take for the secret that it stands for."""
    return _FINGERPRINT_BYTES.search(data) is not None


@dataclass(frozen=True)
class SecretPolicy:
    """What is a secret, and how it shows.

    ``key`` is the installation's key: the same secret has the same fingerprint under it, so that "changed or not"
    can be asked and the value cannot. ``patterns`` are parts of names, in any case; a dot inside one also stands for
    ``_``, ``-`` or nothing. Names that end with some words (`SecretNames`) and values of known form (`shows_secret`)
    are secrets whatever the patterns.
    """

    key: bytes = field(repr=False)
    patterns: tuple[str, ...] = DEFAULT_SECRET_PATTERNS

    @cached_property
    def _names(self) -> SecretNames:
        return SecretNames(self.patterns)

    def is_secret_name(self, name: str) -> bool:
        """Whether the value under this name (of a config key, of a field) is a secret whatever it is."""
        return self._names.is_secret(name)

    def holds_secret(self, text: str) -> bool:
        """Whether a text shows a secret by itself: one of known form (`shows_secret`), or its name with a value."""
        return self._mask_nested(text) != text

    def fingerprint(self, secret: str | bytes) -> str:
        """What stands in for a secret: ``hmac-sha256:`` and 64 hexadecimal digits. A fingerprint stands for itself."""
        data = secret.encode("utf-8", "surrogatepass") if isinstance(secret, str) else secret
        text = data.decode("latin-1")
        if _FINGERPRINT.fullmatch(text):
            return text
        return FINGERPRINT_PREFIX + hmac.new(self.key, data, hashlib.sha256).hexdigest()

    def mask_text(self, text: str) -> str:
        """The text, or its fingerprint if it holds a secret."""
        return self.fingerprint(text) if self.holds_secret(text) else text

    def mask_json(self, value: Any) -> Any:
        """A decoded JSON value with each secret in it replaced by its fingerprint, also in JSON nested as text."""
        if isinstance(value, str):
            return self._mask_nested(value)
        if isinstance(value, Mapping):
            return dict(self._mask_fields(value.items(), value))
        if isinstance(value, list):
            return self._mask_items(value)
        if isinstance(value, _Repeating):
            return _Repeating(self._mask_fields(value, dict(value)))
        return value

    def mask_json_text(self, text: str) -> str:
        """As `mask_json` for a JSON text; one without a secret comes back unchanged, one that is no JSON whole."""
        try:
            value = json.loads(text, object_pairs_hook=_object)
            masked = self.mask_json(value)
            return text if masked == value else json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            return self._mask_plain(text)

    def identity(self) -> str:
        """A digest of the policy that shows neither key nor patterns: 16 hexadecimal digits."""
        data = "\0".join(_named(self.patterns)).encode()
        return hmac.new(self.key, b"coordstream secret policy\0" + data, hashlib.sha256).hexdigest()[:16]

    def _mask_fields(self, fields: Iterable[tuple[str, Any]], named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        namings = (named.get(naming) for naming in _NAMING_FIELDS)
        names_secret = any(isinstance(name, str) and self.is_secret_name(name) for name in namings)
        for name, value in fields:
            is_secret = value is not None and (self.is_secret_name(name) or (names_secret and name == "value"))
            yield self._mask_plain(name), self._fingerprint_json(value) if is_secret else self.mask_json(value)

    def _fingerprint_json(self, value: Any) -> str:
        return self.fingerprint(value if isinstance(value, str) else json.dumps(value))

    def _mask_nested(self, text: str) -> str:
        return self.mask_json_text(text) if text.lstrip()[:1] in _JSON_STARTS else self._mask_plain(text)

    def _mask_plain(self, text: str) -> str:
        if self._shows_secret(text) or ("\\u" in text and self._shows_secret(_UNICODE_ESCAPE.sub(_unescape, text))):
            return self.fingerprint(text)
        return text

    def _mask_items(self, items: list[Any]) -> list[Any]:
        """A list's items; one that follows an option for a secret, as in a command line, is that option's argument."""
        return [
            self.fingerprint(item) if self._is_argument(before, item) else self.mask_json(item)
            for before, item in zip([None, *items], items, strict=False)
        ]

    def _is_argument(self, before: Any, item: Any) -> bool:
        if not isinstance(before, str) or not isinstance(item, str) or item.startswith("-"):
            return False
        return self._names.is_secret_option(before)

    def _shows_secret(self, text: str) -> bool:
        return shows_secret(text) or self._names.stand_in(text)


def _named(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """What tells patterns apart in a fold's version, where the defaults are those of its code.

    The defaults go by their first list, so that a newer program knows databases that were folded with it.
    """
    if patterns == DEFAULT_SECRET_PATTERNS:
        return _FIRST_PATTERNS
    return (*patterns, "") if patterns == _FIRST_PATTERNS else patterns


class _Repeating(tuple[tuple[str, Any], ...]):
    """The fields of an object that names one of them twice: a dict would hide what the first one holds."""

    __slots__ = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Repeating:
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else _Repeating(pairs)


def _unescape(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))
