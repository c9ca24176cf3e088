"""The schema of a database as pg_dump tells it, without what changes from one dump or minor version to the next."""

import re
import subprocess
from typing import Final

from tests.fixtures.postgres_server import chosen_bin_folder

_CHANGING: Final = re.compile(r"^(?:\\(?:un)?restrict .*|-- Dumped (?:from|by) .*)\n", re.MULTILINE)

_DIGEST: Final = re.compile(r"(contract; relations) [0-9a-f]{16}")

_FROM_FILES: Final = re.compile(
    r"^--\n-- Name: [^\n]*; Type: (?:(?:VIEW|FUNCTION); Schema: (?:coordinator|projection)"
    r"|COMMENT; Schema: coordinator);.*?(?=^--\n-- (?:Name|PostgreSQL))",
    re.MULTILINE | re.DOTALL,
)


def schema_of(database_url: str) -> str:
    """The DDL of every schema of ours, and who may do what there."""
    pg_dump = chosen_bin_folder() / "pg_dump"
    dumped = subprocess.run(
        [pg_dump, "--schema-only", "--no-owner", "--dbname", database_url], capture_output=True, text=True, check=True
    ).stdout
    dumped = _DIGEST.sub(r"\1", dumped)
    return re.sub(r"\n{3,}", "\n\n", _CHANGING.sub("", dumped)).strip() + "\n"


def without_relations(schema: str) -> str:
    """The same without the views, functions and comments that are created as the files of `projections/sql` say."""
    return _FROM_FILES.sub("", schema)
