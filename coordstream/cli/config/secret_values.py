"""Config values as users may see them: a fingerprint in place of each secret."""

from collections.abc import Iterable

from eventlog.secrets.secret_policy import SecretPolicy
from managers.errors import SettingChange


def is_secret(secrets: SecretPolicy, key: str, value: str | None) -> bool:
    """Whether the value is a secret, by the name of the key or by the value itself."""
    return value is not None and (secrets.is_secret_name(key) or secrets.holds_secret(value))


def shown(secrets: SecretPolicy, key: str, value: str | None) -> str | None:
    """The value, or its fingerprint if it is a secret, as in the relation ``config``."""
    return secrets.fingerprint(value) if value is not None and is_secret(secrets, key, value) else value


def masked_changes(secrets: SecretPolicy, changes: Iterable[SettingChange]) -> list[SettingChange]:
    """The changes with fingerprints in place of secrets, for an error."""
    return [SettingChange(key, shown(secrets, key, old), shown(secrets, key, new)) for key, old, new in changes]
