import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordstream.cli.demo import choose_home, main, program
from coordstream.postgres import EmbeddedPostgres
from coordstream.settings import default_home
from tests.coordstream.command_line import CHECKOUT, without_settings
from tests.fixtures.postgres_server import temporary_home


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's user can reach; the server in it is stopped however the test ends."""
    with temporary_home() as made:
        try:
            yield made
        finally:
            EmbeddedPostgres(made / "demo").stop()


def run_demo(folder: Path, jar: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coordstream.cli.demo"],
        cwd=folder,
        env={
            **without_settings(),
            "COORDSTREAM_JDBC_JAR": str(jar),
            "COORDSTREAM_HOME": str(folder / "demo"),
            **settings,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def paste(command: str, folder: Path, jar: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell command in the folder, with a database in the settings that it must not use."""
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": "postgresql://someone@127.0.0.1:1/none"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.spark
@pytest.mark.slow
def test_the_demo_shows_all_and_works_twice(folder: Path, jdbc_jar: Path) -> None:
    users = {"COORDSTREAM_DATABASE_URL": "postgresql://someone@127.0.0.1:1/none"}
    first, second = run_demo(folder, jdbc_jar, **users), run_demo(folder, jdbc_jar, **users)
    for ended in (first, second):
        assert ended.returncode == 0, ended.stderr
        for shown in (
            "Replayed 2 logs: 815 events" if ended is first else "815 events already present",
            "(all equal)",
            "fourth incarnation",
            "as of 2026-11-21 09:16:49 UTC",
            "timestamp 1700000007500",
            "checkpoint | ",
            "Checkpoint progress of wordcount_pv/1",
        ):
            assert shown in ended.stdout + ended.stderr
    home = folder / "demo"
    assert (home / "checkpoint_progress" / "checkpoint_progress.png").stat().st_size > 10_000
    assert EmbeddedPostgres(home).status().state == "stopped"
    tail = [line.strip() for line in second.stdout.splitlines() if line.startswith("  COORDSTREAM_DATABASE_URL= ")]
    answers = [paste(command, folder, jdbc_jar) for command in tail]
    assert [answer.returncode for answer in answers] == [0] * 4, [answer.stderr for answer in answers]
    assert "task.checkpoint.read." in answers[0].stdout
    assert "Partition 7" in answers[1].stdout
    assert "(5 rows)" in answers[2].stdout
    assert "stopped" in answers[3].stdout


def test_a_database_in_the_settings_file_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "coordstream.toml").write_text('database_url = "postgresql://someone@127.0.0.1:1/none"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COORDSTREAM_HOME", str(tmp_path / "home"))
    assert main() == 1
    assert capsys.readouterr().err == (
        "coordstream.toml sets database_url, but the demo uses its own database. Run it in another folder.\n"
    )
    assert not (tmp_path / "home").exists()


def test_the_demo_has_a_folder_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_HOME", str(folder / "chosen"))
    assert choose_home() == folder / "chosen"
    monkeypatch.setenv("COORDSTREAM_HOME", "")
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://someone@127.0.0.1:1/none")
    assert choose_home() == default_home() / "demo"
    assert "COORDSTREAM_DATABASE_URL" not in os.environ


def test_the_program_is_named_as_a_shell_runs_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    assert program() == f"{python} -m coordstream"
    python.parent.mkdir()
    python.with_name("coordstream").touch()
    monkeypatch.chdir(CHECKOUT)
    assert program() == str(python.with_name("coordstream"))
    monkeypatch.chdir(tmp_path)
    assert program() == "bin/coordstream"
