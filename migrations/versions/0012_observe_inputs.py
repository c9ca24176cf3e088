"""observe inputs."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

UPGRADE = """
create table eventlog.input_bound (
    job_suffix text not null,
    system_name text not null,
    stream_name text not null,
    partition_id integer not null,
    oldest_offset bigint,
    end_offset bigint,
    end_record_time timestamptz,
    observed_at timestamptz not null,
    constraint pk_input_bound primary key (job_suffix, system_name, stream_name, partition_id, observed_at)
);
comment on column eventlog.input_bound.job_suffix is 'what the names of the job''s streams end with';
create index ix_input_bound_end_offset
    on eventlog.input_bound (job_suffix, system_name, stream_name, partition_id, end_offset, observed_at);
"""


def upgrade() -> None:
    """Create the table of the first and last offsets of the jobs' inputs."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Drop the observations."""
    op.execute("drop table eventlog.input_bound")
