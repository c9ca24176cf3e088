import os
from pathlib import Path

import pytest

from coordstream.errors import SettingsError
from coordstream.settings import ROOT_HOME, load_settings
from eventlog.secrets import DEFAULT_SECRET_PATTERNS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an environment without settings."""
    for name in [name for name in os.environ if name.startswith("COORDSTREAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_defaults_need_no_setting() -> None:
    settings = load_settings()
    assert settings.database_url is None
    assert settings.mask_key is None
    assert settings.secret_patterns == DEFAULT_SECRET_PATTERNS
    assert settings.home.name == "coordstream"
    assert settings.jar_cache.parent == settings.home


@pytest.mark.parametrize(("uid", "is_roots"), [(0, True), (1000, False)])
def test_root_has_a_home_that_another_user_can_reach(uid: int, is_roots: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    assert (load_settings().home == ROOT_HOME) is is_roots


def test_the_environment_goes_before_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "coordstream.toml").write_text('home = "/from/file"\nsecret_patterns = ["pin"]\n')
    monkeypatch.setenv("COORDSTREAM_HOME", "/from/environment")
    settings = load_settings()
    assert settings.home == Path("/from/environment")
    assert settings.secret_patterns == ("pin",)


def test_home_becomes_absolute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_HOME", "data")
    assert load_settings().home == folder / "data"
    monkeypatch.setenv("COORDSTREAM_HOME", "~/data")
    assert load_settings().home == Path.home() / "data"


def test_secret_patterns_are_a_comma_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_SECRET_PATTERNS", "pin, pass phrase ,,")
    assert load_settings().secret_patterns == ("pin", "pass phrase")


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "")
    assert load_settings().database_url is None


def test_secrets_show_in_no_text_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://me:hunter2@db/x?sslmode=require")
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", "hunter2")
    settings = load_settings()
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql://me:hunter2@db/x?sslmode=require"


def test_a_bad_url_is_named_but_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "mysql://me:hunter2@db/x")
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert str(refused.value) == (
        "COORDSTREAM_DATABASE_URL (or database_url in coordstream.toml) can't be used: "
        "must be a URL that begins with postgresql://."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("homes = 'x'\n", "coordstream.toml has the unknown setting 'homes'; it knows home, database_url"),
        ("home = \n", "coordstream.toml is not valid TOML: Invalid value (at line 1, column 8)"),
        ("home = 7\n", "COORDSTREAM_HOME (or home in coordstream.toml) can't be used: "),
        (
            "secret_patterns = 7\n",
            "COORDSTREAM_SECRET_PATTERNS (or secret_patterns in coordstream.toml) can't be used: ",
        ),
    ],
)
def test_a_bad_file_is_told_in_one_sentence(folder: Path, text: str, sentence: str) -> None:
    (folder / "coordstream.toml").write_text(text)
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)
