"""record suspect checkpoints."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# Not filled for logs that are folded already: that would read all of their checkpoints. The anomalies of such a log
# are found by looking at each checkpoint, until `quarantine retry` rebuilds the log.
UPGRADE = """
create table projection.suspect_checkpoint (
    log_offset bigint not null,
    log_id integer not null,
    key_id integer not null,
    may_be_lower boolean not null,
    may_be_unread boolean not null,
    constraint pk_suspect_checkpoint primary key (log_id, log_offset, key_id)
);
comment on column projection.suspect_checkpoint.may_be_lower is
    'an offset may be lower than in the checkpoint before under the same key';
comment on column projection.suspect_checkpoint.may_be_unread is
    'more than 5 minutes newer than the task''s newest checkpoint of the other version, and the one before under the '
    'same key by at most an hour';
"""

DOWNGRADE = "drop table projection.suspect_checkpoint"


def upgrade() -> None:
    """Make room for the checkpoints that the relation `anomaly` has to look at."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Look at each checkpoint again."""
    op.execute(DOWNGRADE)
