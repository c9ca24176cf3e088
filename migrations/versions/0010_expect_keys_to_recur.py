"""expect keys to recur."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let the planner expect that the events of a log share few keys.

    It knows neither how many events a job has nor how many keys a log has, and would otherwise hash the key of each
    event to find its meaning, instead of doing so once for each key. The number only has to be well below the number
    of events that the planner expects of a job.
    """
    op.execute("alter table eventlog.event alter column key set (n_distinct_inherited = 100)")
    op.execute("analyze eventlog.event (key)")


def downgrade() -> None:
    """Remove the expectation."""
    op.execute("alter table eventlog.event alter column key reset (n_distinct_inherited)")
