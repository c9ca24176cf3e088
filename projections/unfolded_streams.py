"""Which streams have rows that are to be rebuilt from the archive.

Every command asks that, so this module loads neither the fold nor its messages, unlike `projections.unfolded`.
"""

from typing import Final

from eventlog.connection import Connection
from projections.fold.settings import NOT_FOLDED

_UNFOLDED: Final = """
select distinct j.stream_name from projection.position p join projection.job_log j using (log_id)
where p.fold_version = %s order by j.stream_name
"""


def unfolded_streams(connection: Connection) -> list[str]:
    """The streams with a log that is to be rebuilt."""
    return [name for (name,) in connection.execute(_UNFOLDED, (NOT_FOLDED,)).fetchall()]
