"""The events of a batch that cannot be read, and the keys that can be read again."""

from eventlog.errors import WireError
from eventlog.secrets.secret_policy import SecretPolicy
from projections.fold.keys import KeyEntry
from projections.fold.rows import QuarantineRow


class QuarantinedEvents:
    """``rows`` to append to quarantine, and (key, offset) of keys whose earlier events there are ``resolved``."""

    def __init__(self, log_id: int, secrets: SecretPolicy) -> None:
        self._log_id = log_id
        self._secrets = secrets
        self.rows: list[QuarantineRow] = []
        self.resolved: list[tuple[int, int]] = []

    def resolve(self, entry: KeyEntry, offset: int) -> None:
        """Note that an event of a key was read."""
        if entry.is_quarantined:
            entry.is_quarantined = False
            self.resolved.append((entry.key_id, offset))

    def add(
        self,
        entry: KeyEntry | None,
        key: bytes | None,
        offset: int,
        record_time: int | None,
        value: bytes | None,
        error: WireError,
    ) -> None:
        """Add an event that cannot be read. ``key`` is needed if the key cannot be read either."""
        if entry is not None:
            entry.is_quarantined = True
        self.rows.append(
            QuarantineRow(
                offset,
                record_time,
                self._log_id,
                None if entry is None else entry.key_id,
                None if value is None else len(value),
                error.reason,
                error.detail,
                self._key_text(entry, key),
                None if value is None else self._secrets.fingerprint(value),
            )
        )

    def _key_text(self, entry: KeyEntry | None, key: bytes | None) -> str | None:
        secrets = self._secrets
        if entry is None:
            return None
        if entry.meaning.error is None or key is None:
            return secrets.mask_text(entry.meaning.message_key or "")
        text = key.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        return secrets.fingerprint(text) if secrets.is_secret_name(text) else secrets.mask_text(text)
