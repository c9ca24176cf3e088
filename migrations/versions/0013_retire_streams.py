"""retire streams."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

UPGRADE = """
create table eventlog.retired_stream (
    stream_name text not null,
    retired_at timestamptz not null,
    constraint pk_retired_stream primary key (stream_name)
);
comment on table eventlog.retired_stream is 'streams whose logs are kept, but which nothing is expected to follow';
"""


def upgrade() -> None:
    """Create the table of streams that nothing is expected to follow."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Drop it: monitors expect every stream to be followed again."""
    op.execute("drop table eventlog.retired_stream")
