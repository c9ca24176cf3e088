"""What the row of a log in ``projection.job_log`` should be, apart from the job's name and id."""

from typing import Any, Final

from psycopg import sql

from eventlog.postgres.connection import Connection
from eventlog.streams import identify
from projections.table_differences import TableCheck

_FACTS: Final = """
select l.stream_name, l.stream_kind, l.incarnation, j.is_complete or l.incarnation = 1, l.log_id = (
    select o.log_id from projection.job_log o join eventlog.log s using (log_id) where s.stream_name = l.stream_name
    order by o.is_current desc, o.is_complete desc, s.incarnation desc limit 1)
from eventlog.log l join projection.job_log j using (log_id)
where l.log_id = %s
"""
_UPDATE: Final = sql.SQL("""
update projection.job_log set ({columns}) = ({values})
where log_id = {log_id} and ({columns}) is distinct from ({values})
""")


def expected_row(connection: Connection, log_id: int) -> dict[str, Any]:
    """Return the values that follow from the archive. One incarnation of a stream is current, and it is complete."""
    row = connection.execute(_FACTS, (log_id,)).fetchone()
    if row is None:
        return {}
    name, kind, incarnation, is_complete, is_current = row
    stream = identify(name, kind)
    return {
        "stream_name": name,
        "stream_kind": kind,
        "incarnation": incarnation,
        "job_suffix": stream.suffix,
        "job_bucket": stream.job_bucket,
        "is_current": is_current,
        "is_complete": is_complete or is_current,
    }


def repair_row(connection: Connection, log_id: int) -> TableCheck:
    """Set the values of `expected_row`, and return whether the row was different."""
    expected = expected_row(connection, log_id)
    columns = sql.SQL(", ").join(map(sql.Identifier, expected))
    values = sql.SQL(", ").join(map(sql.Literal, expected.values()))
    changed = connection.execute(_UPDATE.format(columns=columns, values=values, log_id=sql.Literal(log_id))).rowcount
    return TableCheck("job_log", different=changed)
