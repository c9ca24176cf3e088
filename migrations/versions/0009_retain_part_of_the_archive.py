"""retain part of the archive."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

UPGRADE = """
create table eventlog.horizon (
    log_id integer not null,
    retention_number integer not null,
    horizon_offset bigint not null,
    horizon_time timestamptz not null,
    partitions bigint[] not null,
    constraint pk_horizon primary key (log_id, retention_number)
);
comment on column eventlog.horizon.retention_number is
    'the retention that detached events of the log; the names of its detached tables end with this number';
comment on column eventlog.horizon.horizon_offset is
    'below it, the archive has only what the state at this offset and at the pins needs';
comment on column eventlog.horizon.horizon_time is 'the time that was given as the horizon';
comment on column eventlog.horizon.partitions is 'the first offsets of the partitions that the retention detached';

create table eventlog.pin (
    name text not null,
    pinned_at timestamptz not null,
    constraint pk_pin primary key (name)
);
"""


def upgrade() -> None:
    """Create the tables of horizons and pins."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Drop both tables; a history that was detached stays detached."""
    op.execute("drop table eventlog.horizon, eventlog.pin")
