"""expect keys to recur without analyze."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

UPGRADE = """
alter table eventlog.event alter column key set (n_distinct_inherited = 10);
do $$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    perform pg_restore_attribute_stats(
      'schemaname', 'eventlog', 'relname', 'event', 'attname', 'key', 'inherited', true,
      'n_distinct', 10::real, 'null_frac', 0::real, 'avg_width', 60);
  end if;
end $$
"""


def upgrade() -> None:
    """Expect few keys even of a log of which the planner expects few events, and at once, where Postgres can (18).

    The number of revision 0010 takes effect with the next ANALYZE, which an import of many events does, but not a
    follower: autovacuum never analyzes a partitioned table, only its partitions.
    """
    op.execute(UPGRADE)


def downgrade() -> None:
    """Return to the number of revision 0010, at the next ANALYZE."""
    op.execute("alter table eventlog.event alter column key set (n_distinct_inherited = 100)")
