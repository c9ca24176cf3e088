"""What a follower is asked to do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FollowPlan:
    """Which streams are followed, and how far.

    ``follows_all``: all of Samza's streams that the source has, also those that come later. ``once``: to the ends as
    they are at the start. ``until``: to this offset of the one stream, inclusive. Otherwise until it is stopped.
    ``take_over_after``: end the sessions of a stream's holder that has been silent for so many seconds; None: wait.
    """

    stream_names: tuple[str, ...] = ()
    follows_all: bool = False
    once: bool = False
    until: int | None = None
    kind: str | None = None
    take_over_after: float | None = None

    def __post_init__(self) -> None:
        if self.until is not None and (self.follows_all or len(self.stream_names) != 1):
            raise ValueError("an offset to stop at is that of one stream: name just this one")

    @property
    def has_end(self) -> bool:
        """Whether the follower ends by itself."""
        return self.once or self.until is not None
