"""Lists the streams whose rows were lost and have to be rebuilt from the archive.

Every command runs this query, so unlike `projections.rebuild` this module imports neither the fold nor its messages.
"""

from typing import Final

from eventlog.postgres.connection import Connection
from projections.fold.settings import NOT_FOLDED

_STREAMS: Final = """
select distinct j.stream_name from projection.position p join projection.job_log j using (log_id)
where p.fold_version = %s order by j.stream_name
"""


def streams_to_rebuild(connection: Connection) -> list[str]:
    """Return the names of streams with a log that has to be rebuilt."""
    return [name for (name,) in connection.execute(_STREAMS, (NOT_FOLDED,)).fetchall()]
