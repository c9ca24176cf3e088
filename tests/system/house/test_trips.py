"""What a command loads: modules that a reader has to know of to follow it, and packages that take time to load."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CHECKPOINT, MASK_KEY, CommandLine, without_settings

pytestmark = pytest.mark.slow

AT_MOST: Final = {"follow": 99, "startpoint": 80, "serve": 66, "spark": 80}
"""Modules by command (`spark replay`: see its tests). The aim for `startpoint` is 80: lower it whenever it can be."""
READING: Final = {"status", "job", "config", "checkpoint", "explain", "quarantine", "log", "export"}
"""Short commands, most of whose time is loading."""
RUN_AND_COUNT: Final = """
import atexit, sys
from coordstream.cli import main
ours = ("coordstream", "eventlog", "managers", "projections", "spark_jobs")
heavy = {"sqlalchemy", "alembic", "pandas", "pyarrow", "pyspark", "matplotlib", "kafka", "pygments"}
atexit.register(lambda: print("modules:", sum(name.partition(".")[0] in ours for name in sys.modules), flush=True))
atexit.register(lambda: print("heavy:", *sorted(heavy & sys.modules.keys()), flush=True))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["follow", "--all", "--once"],
        ["startpoint", "write", "wordcount_pv", "kafka.page-views.0", "7", "--yes"],
        ["serve", "--bind", "127.0.0.1:0"],
        ["status"],
        ["job", "show", "wordcount_pv"],
        ["config", "history", "wordcount_pv", "--changes"],
        ["config", "diff", "wordcount_pv", "wordcount_pv"],
        ["checkpoint", "history", "wordcount_pv", "--limit", "1", "--json"],
        ["explain", "wordcount_pv", "Partition 1"],
        ["quarantine"],
        ["log", "show", CHECKPOINT, "--json", "--limit", "1000"],
        ["export", CHECKPOINT],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_loads_little(appendable: CommandLine, tmp_path: Path, words: list[str]) -> None:
    settings = {"DATABASE_URL": appendable.database_url, "MASK_KEY": MASK_KEY, "HOME": str(tmp_path)}
    environment = {**without_settings(), **{f"COORDSTREAM_{name}": value for name, value in settings.items()}}
    program = [sys.executable, "-c", RUN_AND_COUNT, *words]
    with subprocess.Popen(
        program, env=environment, cwd=CHECKOUT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as command:
        assert command.stdout is not None
        lines = []
        for line in command.stdout:
            lines.append(line)
            if words[0] == "serve" and "http://" in line:
                command.terminate()
    count, heavy = loaded("".join(lines))
    print(f"{' '.join(words[:2])}: {count} modules")
    assert count <= AT_MOST.get(words[0], 99)
    assert heavy == "" or words[0] not in READING


def loaded(output: str) -> tuple[int, str]:
    """The number of modules and the heavy packages that the output of `RUN_AND_COUNT` names."""
    shown = [line.partition(": ")[2] for line in output.splitlines() if line.startswith(("heavy:", "modules:"))]
    assert len(shown) == 2, output
    return int(shown[1]), shown[0]
