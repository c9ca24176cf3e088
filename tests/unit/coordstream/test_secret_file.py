from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coordstream.secret_file import read_or_make_secret, read_secret


def test_a_secret_is_created_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "key"
    secret = read_or_make_secret(path)
    assert len(bytes.fromhex(secret)) == 32
    assert read_or_make_secret(path) == secret == read_secret(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_concurrent_first_uses_get_the_same_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(read_or_make_secret, [tmp_path / "key"] * 64))
    assert len(secrets) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(" \n")
    with pytest.raises(ValueError, match="empty"):
        read_or_make_secret(tmp_path / "key")
