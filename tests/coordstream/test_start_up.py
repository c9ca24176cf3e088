"""A command loads only what it needs: loading is most of the cost of a short command."""

import json
import subprocess
import sys
from typing import Final

import pytest

from tests.coordstream.command_line import CHECKOUT, CHECKPOINT, CommandLine, without_settings

pytestmark = pytest.mark.slow

HEAVY: Final = ("sqlalchemy", "alembic", "pandas", "pyarrow", "pyspark", "matplotlib", "kafka", "pygments")
RUN_AND_SHOW_IMPORTS: Final = """
import json, sys
from coordstream.cli import main
heavy, words = json.loads(sys.argv[1])
code = main(words)
print(json.dumps([name for name in heavy if name in sys.modules]), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["job", "list"],
        ["job", "show", "wordcount_pv"],
        ["config", "show", "wordcount_pv"],
        ["config", "history", "wordcount_pv", "--changes"],
        ["config", "diff", "wordcount_pv", "wordcount_pv"],
        ["checkpoint", "show", "wordcount_pv"],
        ["checkpoint", "history", "wordcount_pv", "--limit", "1", "--json"],
        ["startpoint", "show", "wordcount_pv"],
        ["explain", "wordcount_pv", "Partition 1"],
        ["quarantine"],
        ["log", "show", CHECKPOINT, "--csv", "--limit", "1000"],
        ["export", CHECKPOINT],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_that_reads_loads_only_what_it_needs(wordcount: CommandLine, words: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", RUN_AND_SHOW_IMPORTS, json.dumps([HEAVY, words])],
        env={**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "[]\n")
