"""The installation's masking key, which fingerprints of secrets are made with; it is never stored in Postgres."""

from typing import Final

from coordstream.errors import SettingsError
from coordstream.secret_file import read_or_make_secret
from coordstream.settings import Settings
from eventlog.secret_policy import SecretPolicy

KEY_FILE: Final = "mask.key"


def mask_key(settings: Settings) -> bytes:
    """The key of ``COORDSTREAM_MASK_KEY``, or else of ``<home>/mask.key``, created at the first use (mode 0600).

    The key is the text's UTF-8 bytes: it is not decoded, even if it is hex or base64.

    Raises:
        SettingsError: the key file cannot be created or read, or is empty.
    """
    if settings.mask_key is not None:
        return settings.mask_key.get_secret_value().encode()
    path = settings.home / KEY_FILE
    try:
        return read_or_make_secret(path).encode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is empty or not text"
        raise SettingsError(
            f"Cannot use the key file {path} ({reason}). Restore it, or set COORDSTREAM_MASK_KEY."
        ) from error


def secret_policy(settings: Settings) -> SecretPolicy:
    """What counts as a secret, and the key for its fingerprints; see `mask_key`."""
    return SecretPolicy(mask_key(settings), settings.secret_patterns)
