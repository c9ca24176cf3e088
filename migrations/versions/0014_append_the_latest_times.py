"""append the latest times.

``eventlog.append`` counted from 1970, so that times in the last half year of timestamptz were out of the range of
interval. It counts from 2000 now.
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

FROM_1970 = "timestamptz '1970-01-01 00:00:00+00' + (t.ms / 86400000) * interval '24 hours'"
FROM_2000 = "timestamptz '2000-01-01 00:00:00+00' + (t.ms / 86400000 - 10957) * interval '24 hours'"


def upgrade() -> None:
    """Count from 2000."""
    _replace(FROM_1970, FROM_2000)


def downgrade() -> None:
    """Count from 1970."""
    _replace(FROM_2000, FROM_1970)


def _replace(old: str, new: str) -> None:
    quoted = ("$replaced$" + text + "$replaced$" for text in (old, new))
    function = "pg_get_functiondef('eventlog.append'::regproc)"
    op.execute(f"do $body$ begin execute replace({function}, {', '.join(quoted)}); end $body$")
