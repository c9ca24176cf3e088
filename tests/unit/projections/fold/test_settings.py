"""The fold's version names its settings without showing them."""

import pytest

from eventlog.secret_policy import SecretPolicy
from projections.fold import settings
from projections.fold.settings import FoldSettings


def version(key: bytes = b"key", patterns: tuple[str, ...] = ("password",)) -> str:
    return FoldSettings(SecretPolicy(key, patterns)).fold_version


@pytest.mark.parametrize("other", [version(key=b"other"), version(patterns=("password", "pin"))])
def test_other_settings_give_another_version(other: str) -> None:
    assert other != version()


def test_rows_of_older_code_can_be_followed_up_and_those_of_newer_code_or_other_settings_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = FoldSettings(SecretPolicy(b"key", ("password",)))
    monkeypatch.setattr(settings, "CODE_VERSION", 10)
    older, same = version().replace("10-", "9-"), version()
    assert ours.follows(older)
    assert ours.follows(same)
    assert not any(map(ours.follows, (version(key=b"other"), "other")))
    monkeypatch.setattr(settings, "CODE_VERSION", 9)
    assert not ours.follows(same)
