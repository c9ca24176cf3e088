import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordstream.cli.demo import choose_home, main
from coordstream.postgres import EmbeddedPostgres
from coordstream.settings import default_home
from tests.fixtures.postgres_server import temporary_home


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's user can reach; the server in it is stopped however the test ends."""
    with temporary_home() as made:
        try:
            yield made
        finally:
            EmbeddedPostgres(made / "demo").stop()


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
