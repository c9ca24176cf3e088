"""How a database's schema stands to this program, in full: only where a quick look does not find it current."""

import psycopg
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

from coordstream.migrate import SchemaState, require_current, schema_state


def state_of(url: str) -> SchemaState:
    """How the schema of a database stands to this program."""
    with _engine(url).connect() as connection:
        return schema_state(connection)


def require_current_schema(url: str) -> None:
    """Raise SchemaError, with what to do, unless the schema is this program's."""
    with _engine(url).connect() as connection:
        require_current(connection)


def _engine(url: str) -> Engine:
    # psycopg reads the URL, not SQLAlchemy: it knows all that libpq knows
    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
