"""The errors of the projections: a class for each that a caller handles in its own way."""

from typing import Final

from eventlog.errors import PortableError

NOT_FOLDED: Final = "none"
"""Stands in place of a fold version where nothing of a log is folded: its rows were lost with their tables."""


class ProjectionError(PortableError):
    """Base class of the errors of the projections."""


class PositionMoved(ProjectionError):
    """Another projector has moved a log's position, so this one must stop."""

    def __init__(self, stream_name: str, expected: int) -> None:
        self.stream_name = stream_name
        super().__init__(
            f"Another process has moved the position of {stream_name}, which was {expected}, so this one stops."
        )


class LogRebuilt(ProjectionError):
    """A log was rebuilt, so what a projector remembers of its rows no longer applies: it must load them again."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"The rows of {stream_name} were rebuilt, so its state must be loaded again.")


class RebuildNeeded(ProjectionError):
    """The relations do not show what is in a log's archive, so the log cannot be continued."""

    def __init__(self, stream_name: str, reason: str = "") -> None:
        self.stream_name = stream_name
        reason = reason or f"The rows of {stream_name} are missing, but its events are in the archive"
        super().__init__(f"{reason}. Run `coordstream rebuild --all`.")


class FoldVersionDiffers(ProjectionError):
    """Other code, or other settings (mask key, secret patterns), folded the rows of a log."""

    def __init__(self, stream_name: str, stored: str, ours: str) -> None:
        self.stream_name = stream_name
        super().__init__(
            f"The rows of {stream_name} have fold version {stored}, this program has {ours}. {_remedy(stored, ours)}"
        )


def _remedy(stored: str, ours: str) -> str:
    """What to do if two fold versions differ; each is a number of the code, a dash and a digest of the settings."""
    stored_code, _, stored_settings = stored.partition("-")
    our_code, _, our_settings = ours.partition("-")
    if stored_settings != our_settings:
        return (
            "The mask key or the secret patterns have changed: restore COORDSTREAM_MASK_KEY (or the key file in "
            "COORDSTREAM_HOME) and COORDSTREAM_SECRET_PATTERNS, or export the database's streams with --raw and import "
            "them into a new database."
        )
    if int(stored_code) > int(our_code):
        return "A newer version of coordstream folded it: use that version."
    return "An older version of coordstream folded it: run `coordstream rebuild --all`."


class StreamBusy(ProjectionError):
    """Another process holds the lock of the stream."""

    def __init__(self, stream_name: str, holder: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"{stream_name} is being read by {holder}. Wait until that ends, or stop it.")


class LockLost(ProjectionError):
    """The session that took the streams' locks was replaced, so the locks must be taken again."""

    def __init__(self) -> None:
        super().__init__(
            "The connection to Postgres has another session now, so the locks of the streams are lost. Connect "
            "directly, or through a pooler in session mode."
        )
