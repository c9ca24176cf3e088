"""follow live logs."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

UPGRADE = """
create index ix_observation_log_id_at_offset on eventlog.observation (log_id, at_offset);
comment on column eventlog.log.cluster_id is 'the Kafka cluster; null: a log of Postgres, or a recording';
comment on column eventlog.log.topic_id is 'changes when a topic is re-created; null: no topic';

alter table projection.position add column read_at timestamptz, add column resync_from bigint;
comment on column projection.position.read_at is
    'when the log was last read to its end, or reading it began; null = unknown';
comment on column projection.position.resync_from is 'position where a resync began that is not done; null = none';

create table projection.gap (
    log_id integer not null,
    first_offset bigint not null,
    last_offset bigint not null,
    constraint pk_gap primary key (log_id, first_offset)
);
"""

DOWNGRADE = """
drop table projection.gap;
alter table projection.position drop column read_at, drop column resync_from;
comment on column eventlog.log.cluster_id is null;
comment on column eventlog.log.topic_id is null;
drop index eventlog.ix_observation_log_id_at_offset;
"""


def upgrade() -> None:
    """Make room for what a follower of live topics has to remember."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Forget it."""
    op.execute(DOWNGRADE)
