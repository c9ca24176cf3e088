"""The installation's key, under which secrets are fingerprinted; never kept in Postgres."""

from typing import Final

from coordstream.errors import SettingsError
from coordstream.secret_file import read_or_make_secret
from coordstream.settings import Settings
from eventlog.secrets.secret_policy import SecretPolicy

KEY_FILE: Final = "mask.key"


def mask_key(settings: Settings) -> bytes:
    """The key from ``COORDSTREAM_MASK_KEY``, else from ``<home>/mask.key``, made at the first use (mode 0600).

    The text's UTF-8 bytes are the key, whatever form (hex, base64, words) the text has.

    Raises:
        SettingsError: the key file can't be made or read, or is empty.
    """
    if settings.mask_key is not None:
        return settings.mask_key.get_secret_value().encode()
    path = settings.home / KEY_FILE
    try:
        return read_or_make_secret(path).encode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is empty or no text"
        raise SettingsError(
            f"the key file {path} can't be used ({reason}): restore it, or set COORDSTREAM_MASK_KEY."
        ) from error


def secret_policy(settings: Settings) -> SecretPolicy:
    """What counts as a secret, and the key of the installation that fingerprints are made with; see `mask_key`."""
    return SecretPolicy(mask_key(settings), settings.secret_patterns)
