"""Which texts contain secrets: by their form, such as tokens, or by a name, as in assignments and command lines."""

import base64
import binascii
import re
from typing import Final

# Each attempt starts at a "://" and ends before the next one, so that a search takes linear time. A password may
# contain "/", "?" and "#", which people often do not escape, but a port before a path is not a password.
_URL_WITH_PASSWORD: Final = re.compile(
    r"""(?<=[A-Za-z0-9+.\-]):\\*/\\*/(?!\[)[^\s/?\#@:]*+:
        (?!\d{1,5}(?:[/?\#"'\\<>)\]};]|$))(?:(?!:\\*/\\*/)[^\s@])++@
      | jdbc:oracle:\w{1,16}:[^\s/@]{1,128}/[^\s@]{1,256}@""",
    re.VERBOSE,
)
# In URLs of these schemes, a name before the host without a password is usually a token or a password. In others it is
# usually a plain name: a user (ssh://git@host) or a container (abfss://container@account).
_URL_WITH_TOKEN: Final = re.compile(
    r"""(?:https?|wss?|rediss?|nats):\\*/\\*/(?!\[)[^\s/?\#@:\\]++@""", re.VERBOSE | re.IGNORECASE
)
# signatures of links that grant access to anyone who has them: Azure (SAS), AWS, Google
_SIGNED_URL: Final = re.compile(r"(?<![a-z0-9])(?:x-amz-|x-goog-)?sig(?:nature)?=[^\s&;]")
_PRIVATE_KEY: Final = re.compile(r"-----BEGIN[ A-Z0-9]{0,32}PRIVATE KEY")
_PUTTY_KEY: Final = "PuTTY-User-Key-File-"
_BEARER: Final = re.compile(r"(?<![a-z])bearer\s++(?=\S*\d|\S{20})[\w.~+/\-]{6,}")
_BASIC: Final = re.compile(r"(?<![A-Za-z])basic\s++([A-Za-z0-9+/]{4,1024}={0,2})", re.IGNORECASE)
_CURL_USER: Final = re.compile(r"""(?<!\S)(?:-u|--user)[\s=]++["']?+[^\s:"']++:[^\s"']""")
# options for passwords that only the programs' own names explain; `-p` is a port for others, and `$` begins a variable
_PROGRAM_PASSWORD: Final = re.compile(
    r"""(?<![\w.\-])(?:
        (?:mysql|mariadb)[\w\-]*+ [^|;&\n]{0,200}? \s-p
      | (?:sshpass|mongo\w*+|(?:docker|podman|helm\ registry)\ login) \b[^|;&\n]{0,200}? \s-p[\s=]*+
      | redis-cli [^|;&\n]{0,200}? \s-a[\s=]*+
      | sqlcmd [^|;&\n]{0,200}? \s-P[\s=]*+
      | ldap\w++ [^|;&\n]{0,200}? \s-w[\s=]*+
    )["']?+[^\s"'$\-]""",
    re.VERBOSE,
)
_PROGRAMS: Final = ("mysql", "mariadb", "sshpass", "mongo", "login", "redis-cli", "sqlcmd", "ldap")
# tokens with a prefix of their issuer, as in the scanners gitleaks, detect-secrets and trufflehog
_KNOWN_TOKEN: Final = re.compile(
    r"""A(?:KIA|SIA)[A-Z2-7]{16}(?![A-Za-z0-9]) | AIza[\w\-]{35}                 # AWS, Google
      | ya29\.[\w\-]{20} | GOCSPX-[\w\-]{20}
      | gh[pousr]_[A-Za-z0-9]{36} | github_pat_\w{22} | glpat-[\w\-]{20}         # GitHub, GitLab
      | xox[abeoprs]-[\w\-]{10} | xapp-\d-[\w\-]{10}                             # Slack
      | hooks\.slack\.com/services/\w{8,12}/\w{8,12}/\w{20}
      | [sr]k_(?:live|test)_[A-Za-z0-9]{10} | sk-(?:ant|proj)-[\w\-]{20}         # Stripe, Anthropic, OpenAI
      | eyJ(?<![\w\-]eyJ)[\w\-]{8,4096}\.eyJ[\w\-]{8,4096}\.                  # JSON web tokens
      | SG\.[\w\-]{22}\.[\w\-]{43} | npm_[A-Za-z0-9]{36} | pypi-AgE[\w\-]{40}    # SendGrid, npm, PyPI
      | dapi[0-9a-f]{32} | dop_v1_[0-9a-f]{64} | hv[sb]\.[\w\-]{24}              # Databricks, DigitalOcean, Vault
    """,
    re.VERBOSE,
)
_SHORTEST_TOKEN: Final = 15
_is_word: Final = re.compile("[A-Za-z0-9_.,/-]*").fullmatch


def is_word(text: str) -> bool:
    """Whether a text consists of letters, digits, and the characters ``_.,/-`` only.

    Such a text assigns nothing and has no JSON object; all that can be secret in it is what `has_token` finds.
    """
    return _is_word(text) is not None


def has_token(text: str) -> bool:
    """Whether a text contains a token of a well-known service, or a private key of PuTTY."""
    return len(text) >= _SHORTEST_TOKEN and (_KNOWN_TOKEN.search(text) is not None or _PUTTY_KEY in text)


def has_secret_form(text: str) -> bool:
    """Whether a text contains a secret of known form. Takes time in proportion to the text's length.

    Known forms are URLs with a password, a token or a signature, private keys (PEM), credentials of HTTP's schemes
    Bearer and Basic and of curl, passwords in command lines of well-known programs, and tokens of well-known services.
    """
    folded = text.lower()
    return (
        ("@" in text and (_URL_WITH_PASSWORD.search(text) or _URL_WITH_TOKEN.search(text)) is not None)
        or ("sig" in folded and _SIGNED_URL.search(folded) is not None)
        or ("private key" in folded and _PRIVATE_KEY.search(text) is not None)
        or ("bearer" in folded and _BEARER.search(folded) is not None)
        or ("curl" in folded and _CURL_USER.search(text) is not None)
        or (" -" in text and any(name in text for name in _PROGRAMS) and _PROGRAM_PASSWORD.search(text) is not None)
        or ("basic" in folded and any(_is_user_and_password(found[1]) for found in _BASIC.finditer(text)))
        or has_token(text)
    )


def _is_user_and_password(encoded: str) -> bool:
    """Whether base64 text contains ``user:password`` (RFC 7617); the second word of "Basic authentication" does not."""
    digits = encoded.rstrip("=")
    try:
        decoded = base64.b64decode(digits + "=" * (-len(digits) % 4))
    except binascii.Error:
        return False
    return b":" in decoded and decoded.decode("latin-1").isprintable()


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
