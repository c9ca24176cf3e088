"""Lines that a long-running program reports, each with a code."""

from typing import Final, Literal

Level = Literal["info", "warning", "error"]

_LEVELS: Final[dict[str, Level]] = {
    "blocked": "warning",
    "database-client": "warning",
    "ended-early": "warning",
    "held": "warning",
    "login-refused": "error",
    "outage": "warning",
    "refused": "error",
    "request-failed": "error",
    "request-refused": "warning",
    "resumed": "warning",
    "resynced": "warning",
    "unavailable": "warning",
}
"""The levels of the codes that are not ``info``."""


class Notice(str):
    """A line with a short code, which stays the same when the text changes; a str for whatever prints texts.

    ``stream_name``: the stream that it is about; None: no stream, or many.
    """

    code: str
    stream_name: str | None

    def __new__(cls, text: str, code: str, stream_name: str | None = None) -> "Notice":
        notice = super().__new__(cls, text)
        notice.code, notice.stream_name = code, stream_name
        return notice

    @property
    def level(self) -> Level:
        return _LEVELS.get(self.code, "info")
