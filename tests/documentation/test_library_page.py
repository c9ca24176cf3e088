"""What docs/library.md shows is run as it stands there."""

import doctest
from pathlib import Path
from typing import Final

import coordstream

PAGE: Final = Path(__file__).parents[2] / "docs" / "library.md"
NOT_SHOWN: Final = frozenset(
    {
        "CheckpointChange",
        "ConfigChange",
        "CoordinatorStreamMessage",
        "ManagerError",
        "MetadataStore",
        "OffsetChange",
        "SettingChange",
        "build_coordinator_stream_config",
        "checkpoint_stream",
        "coordinator_system",
        "read_launch_config",
    }
)
"""Names that are what an example gives, or that need none."""


def test_the_examples_give_what_they_show() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.failed == 0
    assert results.attempted > 30


def test_each_manager_has_an_example() -> None:
    managers = {name for name, module in coordstream._MODULES.items() if module.startswith("managers.")}
    shown = PAGE.read_text()
    assert sorted(name for name in managers - NOT_SHOWN if name not in shown) == []
