"""hold versions of checkpoints together."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# Without a default: nothing is rewritten, and the lock is short. Rows that stand already keep null, for which
# projection.commit looks the other version up.
UPGRADE = """
alter table projection.checkpoint_event add column other_version_time timestamptz;
comment on column projection.checkpoint_event.other_version_time is
    'record time of the task''s newest event of the other version before; -infinity = none, or a delete; '
    'infinity = not to be held; null = a set-checkpoint, or not worked out';

alter table projection.checkpoint_layout add column input_count integer, add column input_streams text[];
comment on column projection.checkpoint_layout.input_count is
    'in the row of place 1: how many of the offsets are of input partitions';
comment on column projection.checkpoint_layout.input_streams is 'in the row of place 1: system.stream of each of these';
update projection.checkpoint_layout l
set input_count = i.input_count, input_streams = i.input_streams
from (
    select log_id, layout_id, count(*) filter (where not is_state) as input_count,
           coalesce(array_agg(system_name || '.' || stream_name order by n) filter (where not is_state), '{}')
               as input_streams
    from projection.checkpoint_layout group by log_id, layout_id) i
where l.log_id = i.log_id and l.layout_id = i.layout_id and l.n = 1;
"""

DOWNGRADE = """
alter table projection.checkpoint_layout drop column input_count, drop column input_streams;
alter table projection.checkpoint_event drop column other_version_time;
"""


def upgrade() -> None:
    """Make room for what decides whether a checkpoint is preferred, and count each layout's partitions."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Look both up again for each row."""
    op.execute(DOWNGRADE)
