"""count rebuilds."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

UPGRADE = """
alter table projection.position add column rebuilds integer not null default 0;
comment on column projection.position.rebuilds is
    'rebuilds of the log: a projector that loaded its state before the last one must load it again';
"""


def upgrade() -> None:
    """Add the number of rebuilds to each log's position."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Remove the number of rebuilds."""
    op.execute("alter table projection.position drop column rebuilds")
