"""Errors of the projections: one small tree, each with its data as attributes."""


class ProjectionError(Exception):
    """The projection could not go on."""


class PositionMoved(ProjectionError):
    """Another projector has moved the position of a log: this one must stop."""

    def __init__(self, stream_name: str, expected: int) -> None:
        self.stream_name = stream_name
        self.expected = expected
        super().__init__(
            f"the position of {stream_name} is no longer {expected}: another projector has moved it, so this one stops"
        )


class FoldVersionDiffers(ProjectionError):
    """The rows of a log were folded by other code, with another key or with other secret patterns."""

    def __init__(self, stream_name: str, stored: str, ours: str) -> None:
        self.stream_name = stream_name
        self.stored = stored
        self.ours = ours
        super().__init__(
            f"{stream_name} was folded as {stored}, this program folds as {ours} (another version, key of the "
            "installation or set of secret patterns): restore those settings, or import into a new database"
        )


class StreamBusy(ProjectionError):
    """Another process is at work on the same stream."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"{stream_name} is being imported by another process: wait until it has ended")


class RelationInUse(ProjectionError):
    """An object outside coordstream hangs on a relation that has to be made again."""

    def __init__(self, relation: str) -> None:
        self.relation = relation
        super().__init__(
            f"{relation} cannot be made again because a view or function of yours depends on it: "
            "drop yours, migrate, and make yours again"
        )
