"""Names whose values are secrets, also within longer texts: assignments, command lines, XML."""

import re
from typing import Final

_ALWAYS_SENSITIVE: Final = "sensitive."  # Samza's prefix of keys that must not be logged (MapConfig.sanitizeMap)
_LAST_WORDS: Final = (  # only at the end of a name: they are common within (`pass.through`, `bypass`)
    "pass",
    "passcode",
    "pwd",
    "psk",
    "sas",  # Azure's shared access signatures
    "creds",
    "authorization",
    "cookie",
    "auth.key",
    "cipher.key",
    "client.key",
    "crypto.key",
    "database.key",
    "db.key",
    "decryption.key",
    "hmac.key",
    "master.key",
    "priv.key",
    "service.key",
    "shared.key",
    "ssh.key",
    "ssl.key",
    "storage.key",
    "tls.key",
)
# `redis.auth` and npm's `_auth` are secrets, `ssl.client.auth` and `mail.smtp.auth` say whether or how to authenticate
_AUTH_MODES: Final = (
    *("client", "server", "peer", "mutual", "host", "user", "smtp", "smtps", "imap", "imaps", "pop3", "ldap", "sasl"),
    *("kerberos", "ssl", "tls", "security", "need", "want", "require", "required", "requires", "optional", "use"),
    *("enable", "enabled", "disable", "disabled", "force", "allow", "skip", "no", "with", "without"),
)
_INNER_DOT: Final = re.compile(r"(?<=\w)\\?\.(?=\w)")
_JOINT: Final = r"[._\-]?"
_VARIANT: Final = r"(?:[._\-](?:\d+|value|base64|old|new|current|previous|primary|secondary))?"
_CLOSING: Final = r"[\s\\\"'\])]*+"  # what may be between a name and `=`: `opts["db.password"] = …`
_ASSIGNS: Final = "(?:[=:]|%3[ad])"
# every last word contains one of these, so that a single search rules out most texts
_HINTS: Final = ("pass", "pwd", "psk", "sas(?!l)", "creds", "auth", "cookie", "key")
_HUMP: Final = re.compile("(?<=[a-z0-9])(?<![Bb]y)(?=Pass|Pwd|Creds)")  # of `dbPass`; `byPass` is one word
# an option and its argument: `--password X`, also as two items of a list
_OPTION: Final = re.compile(r"""(?<![^\s"'=,\[])--?+([a-z][\w.\-]*+)["'\\,\]]*+\s++["'\\]*+[^\s\-"'\\]""")
_ELEMENT: Final = re.compile(r"(?:<|&lt;)([a-z][\w.:\-]*+)(?:\s[^<>&]*+)?+(?:>|&gt;)\s*+(?:<!\[cdata\[\s*+)?+[^<\s&]")
# a name in one field and its value in the next: <name>db.password</name><value>X</value>, key="db.password" value="X"
_NAMED_VALUE: Final = re.compile(
    r"""(?:name|key)["'\\]*+\s*+[=:>]\s*+["'\\]*+([\w.\-]++)["'\\]*+(?:</\w++>)?+[\s,;]*+<?+["'\\]*+value["'\\]*+\s*+[=:>]"""
)
# <entry key="db.password">X</entry>, as Java writes properties
_KEYED_ELEMENT: Final = re.compile(
    r"""\s(?:name|key)\s*+=\s*+["'\\]++([\w.\-]++)["'\\]++[^<>]{0,200}>\s*+(?:<!\[cdata\[\s*+)?+[^<\s]"""
)


class SecretNames:
    """Names that contain one of the patterns (see `SecretPolicy`), or end with a word that always names a secret."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        parts = "|".join(_pattern(pattern) for pattern in (*patterns, _ALWAYS_SENSITIVE))
        self._hint = re.compile("|".join((*_HINTS, parts)))
        self._name = re.compile(rf"{parts}|(?:{_ENDINGS}){_VARIANT}\Z")
        # the rest of a name ends before the next match of a pattern, so that a search takes linear time
        self._assignment = re.compile(
            rf"(?:(?:{parts})(?:(?!{parts})[\w.\-])*+|(?:{_ENDINGS}){_VARIANT}){_CLOSING}{_ASSIGNS}"
        )

    def is_secret(self, name: str) -> bool:
        """Whether every value with this name is a secret."""
        return self._is_secret(_folded(name))

    def is_secret_option(self, text: str) -> bool:
        """Whether a text is a command line option whose argument, the next text, is a secret."""
        return text[:1] == "-" and "=" not in text and self.is_secret(text)

    def are_assigned_in(self, text: str) -> bool:
        """Whether a text assigns a value to such a name. Takes time in proportion to the text's length."""
        may_assign = "=" in text or ":" in text or "%3" in text
        may_be_option, may_be_element = "-" in text, "<" in text or "&lt;" in text
        if not (may_assign or may_be_option or may_be_element):
            return False
        folded = _folded(text)
        if self._hint.search(folded) is None:
            return False
        return (
            (may_assign and self._assignment.search(folded) is not None)
            or (may_be_option and self._any_named(_OPTION, folded))
            or (may_be_element and any(self._any_named(form, folded) for form in (_ELEMENT, _KEYED_ELEMENT)))
            or ("value" in folded and self._any_named(_NAMED_VALUE, folded))
        )

    def _any_named(self, form: re.Pattern[str], folded: str) -> bool:
        return any(self._is_secret(found[1]) for found in form.finditer(folded))

    def _is_secret(self, folded: str) -> bool:
        return self._hint.search(folded) is not None and self._name.search(folded) is not None


def _folded(text: str) -> str:
    """In lower case, since a search that ignores case takes ten times as long; camel case is split."""
    if "Pass" in text or "Pwd" in text or "Creds" in text:
        text = _HUMP.sub(".", text)
    return text.lower()


def _pattern(pattern: str) -> str:
    joined = _INNER_DOT.sub(_JOINT, re.escape(pattern.lower()))
    # Samza has `stores.<store>.key.serde`, and a store may be called `account`
    return rf"{joined}(?!\.serde\b)" if pattern.lower().endswith("key") else joined


_AUTH: Final = (
    r"(?=auth)(?:(?<=[a-z0-9][._\-])|(?<=(?<![\w.\-])_))"
    + "".join(rf"(?<!(?<![a-z]){mode}[._\-])" for mode in _AUTH_MODES)
    + "auth"
)
_WORDS: Final = "|".join(_INNER_DOT.sub(_JOINT, word) for word in _LAST_WORDS)
_ENDINGS: Final = (
    "(?:key|store|db|database|user|root|admin)pass"
    rf"|{_AUTH}"
    rf"|(?:(?<![a-z])|(?<=%[0-9a-f][0-9a-f]))(?:{_WORDS})"  # a whole word, also after a character escaped for URLs
)
