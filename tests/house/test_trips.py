"""How many of our modules a command loads: what a reader of the code has to know of to follow it."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.coordstream.command_line import CHECKOUT, MASK_KEY, RECORDING_A, CommandLine, without_settings

pytestmark = pytest.mark.slow

AT_MOST: Final = {"follow": 99, "startpoint": 80, "serve": 66, "spark": 80}
"""Modules by command. The aim for `startpoint` is 80: lower it whenever it can be."""
RUN_AND_COUNT: Final = """
import atexit, sys
from coordstream.cli import main
ours = ("coordstream", "eventlog", "managers", "projections", "spark_jobs")
atexit.register(lambda: print("modules:", sum(name.partition(".")[0] in ours for name in sys.modules), flush=True))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["follow", "--all", "--once"],
        ["startpoint", "write", "wordcount_pv", "kafka.page-views.0", "7", "--yes"],
        ["serve", "--bind", "127.0.0.1:0"],
        pytest.param(["spark", "replay", "--from", str(RECORDING_A[0].parent)], marks=pytest.mark.spark),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_loads_few_modules(appendable: CommandLine, tmp_path: Path, words: list[str]) -> None:
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
    counted = [int(line.partition(":")[2]) for line in lines if line.startswith("modules:")]
    print(f"{' '.join(words[:2])}: {counted} modules")
    assert counted, "".join(lines)
    assert counted[0] <= AT_MOST[words[0]]
