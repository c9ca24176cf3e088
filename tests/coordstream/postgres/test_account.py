import os
import pwd
from pathlib import Path

import pytest

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.account import ServerAccount
from tests.fixtures.postgres_server import temporary_home


def test_root_runs_the_server_as_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    account = ServerAccount.of_this_process()
    assert account.is_other
    assert account.uid == pwd.getpwnam("nobody").pw_uid


def test_other_users_run_the_server_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert not ServerAccount.of_this_process().is_other


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


def test_access_is_checked_as_the_user() -> None:
    account = ServerAccount.of_this_process()
    with temporary_home() as home:
        (home / "open").mkdir()
        assert account.can_enter(home / "open")
        (home / "open" / "closed").mkdir(mode=0o000)
        assert account.can_enter(home / "open" / "closed") is (os.geteuid() == 0 and not account.is_other)


def test_a_program_that_cannot_be_run_is_detected() -> None:
    account = ServerAccount.of_this_process()
    assert account.can_run(Path("/bin/sh").resolve().parent / "ls")
    assert not account.can_run(Path("/bin/no-such-program"))
    assert not account.can_run(Path("/etc/passwd"))


def test_give_changes_the_owner() -> None:
    account = ServerAccount.of_this_process()
    with temporary_home() as home:
        account.give(home)
        assert home.stat().st_uid == (account.uid if account.uid is not None else os.geteuid())
