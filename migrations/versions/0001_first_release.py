"""first release.

Tables, partitions and locks, from the file beside this one. The views and functions of ``projections/sql`` are
not there: `projections.relations` re-creates them whenever their text changes.
"""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    op.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
