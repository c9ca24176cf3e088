from pathlib import Path

import pytest
from pydantic import SecretStr

from coordstream.errors import SettingsError
from coordstream.mask_key import mask_key, secret_policy
from coordstream.settings import Settings
from eventlog.secret_policy import SecretPolicy


def test_the_setting_overrides_the_file(tmp_path: Path) -> None:
    assert mask_key(Settings(home=tmp_path, mask_key=SecretStr("wörter"))) == "wörter".encode()
    assert list(tmp_path.iterdir()) == []


def test_without_a_setting_the_file_is_made_and_kept(tmp_path: Path) -> None:
    key = mask_key(Settings(home=tmp_path))
    assert mask_key(Settings(home=tmp_path)) == key
    assert (tmp_path / "mask.key").read_bytes().strip() == key


@pytest.mark.parametrize("content", [b"", b"\xff\xfe"])
def test_an_unusable_file_is_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mask.key"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        mask_key(Settings(home=tmp_path))
    assert str(refused.value) == (
        f"Cannot use the key file {path} (it is empty or not text). Restore it, or set COORDSTREAM_MASK_KEY."
    )


def test_a_place_that_is_not_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"file/mask\.key \(File exists\)\."):
        mask_key(Settings(home=tmp_path / "file"))


def test_the_policy_has_the_key_and_the_patterns_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, mask_key=SecretStr("k"), secret_patterns=("pin",))
    assert secret_policy(settings) == SecretPolicy(b"k", ("pin",))
