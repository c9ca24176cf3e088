"""The fold's version names its settings without showing them."""

import pytest

from eventlog.secrets import SecretPolicy
from projections.fold.settings import FoldSettings


def version(key: bytes = b"key", patterns: tuple[str, ...] = ("password",)) -> str:
    return FoldSettings(SecretPolicy(key, patterns)).fold_version


@pytest.mark.parametrize("other", [version(key=b"other"), version(patterns=("password", "pin"))])
def test_other_settings_give_another_version(other: str) -> None:
    assert other != version()


def test_the_same_settings_give_the_same_version() -> None:
    assert version() == version()
    assert "key" not in version()
    assert "password" not in version()
