"""Whether this program understands an event, asked of the fold itself, so that no second opinion can arise."""

from collections import deque

from eventlog.events import RecordedEvent
from eventlog.streams import StreamKind
from projections.fold.batch import BatchFold, LogFold
from projections.fold.settings import FoldSettings


def is_understood(event: RecordedEvent, kind: StreamKind, settings: FoldSettings) -> bool:
    """Whether an event of a log of this kind would stay out of quarantine."""
    fold = BatchFold(LogFold(0, kind, settings.secrets), archived_at=0)
    fold.add([event])
    deque(fold.checkpoint_rows(), maxlen=0)  # only drawing them decodes them
    return not fold.quarantined
