from pathlib import Path

import pytest

from coordstream.errors import CoordstreamError
from coordstream.migration_files import migrations_folder


def test_a_checkout_has_them_beside_the_packages() -> None:
    assert migrations_folder() == Path(__file__).parents[2] / "migrations"


def test_a_wheel_has_them_inside(tmp_path: Path) -> None:
    inside = tmp_path / "coordstream" / "migrations"
    inside.mkdir(parents=True)
    (inside / "env.py").touch()
    assert migrations_folder(tmp_path / "coordstream") == inside


def test_a_broken_installation_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CoordstreamError, match=r"^No migrations in .* or beside it\. Reinstall coordstream\.$"):
        migrations_folder(tmp_path)
