"""let followers say why."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

UPGRADE = """
alter table projection.position add column state_detail text;
comment on column projection.position.state is 'catching-up, live, replacing, refused or stopped';
comment on column projection.position.state_detail is 'why a log is not followed now; null = nothing to say';
update projection.position set heartbeat_at = least(heartbeat_at, now()), read_at = least(read_at, now())
where greatest(heartbeat_at, read_at) > now();

create table projection.refused_stream (
    stream_name text not null,
    stream_kind text not null,
    job_suffix text not null,
    job_name text not null,
    job_id text not null,
    job_bucket integer not null,
    state_detail text not null,
    heartbeat_at timestamptz not null,
    constraint pk_refused_stream primary key (stream_name)
);
"""

DOWNGRADE = """
drop table projection.refused_stream;
update projection.position set state = 'stopped' where state = 'refused';
alter table projection.position drop column state_detail;
comment on column projection.position.state is 'catching-up, live, replacing or stopped';
"""


def upgrade() -> None:
    """Make room for the reasons; heartbeats of clocks that were ahead end now."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Forget the reasons."""
    op.execute(DOWNGRADE)
