from pathlib import Path

import pytest

from coordstream.cli import spark
from tests.coordstream.command_line import CommandLine, in_own_process


@pytest.mark.spark
@pytest.mark.slow
def test_a_job_reads_the_database_of_the_settings(wordcount: CommandLine, tmp_path: Path, jdbc_jar: Path) -> None:
    ended = in_own_process(
        *("spark", "checkpoint_progress", "--", "--job", "wordcount_pv/1", "--output", str(tmp_path / "out")),
        COORDSTREAM_DATABASE_URL=wordcount.database_url,
        COORDSTREAM_JDBC_JAR=str(jdbc_jar),
    )
    assert ended.code == 0, ended.err
    assert "Partition 7" in ended.out
    assert (tmp_path / "out" / "progress.png").read_bytes().startswith(b"\x89PNG")


def test_the_job_gets_its_options_the_database_and_the_jar(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "driver.jar"
    jar.touch()
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jar))
    given: list[object] = []

    def job(options: list[str], environment: dict[str, str]) -> int:
        given.extend((options, environment["COORDSTREAM_DATABASE_URL"], environment["COORDSTREAM_JDBC_JAR"]))
        return 1

    monkeypatch.setitem(spark.JOBS, "checkpoint_progress", job)
    assert cli("spark", "checkpoint_progress", "--", "--bucket", "5s").code == 1
    assert given == [["--bucket", "5s"], cli.database_url, str(jar)]


def test_a_jar_that_is_not_there_is_told(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", "/none/driver.jar")
    assert "COORDSTREAM_JDBC_JAR names /none/driver.jar, where there is no file" in cli.refused(
        "spark", "checkpoint_progress"
    )
