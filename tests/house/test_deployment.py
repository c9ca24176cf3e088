"""The examples in docs/deployment.md are valid: syntax, commands, options and settings."""

import re
from configparser import RawConfigParser
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from coordstream.cli import main
from coordstream.settings import ENV_PREFIX, Settings

CHECKOUT: Final = Path(__file__).parents[2]
PAGE: Final = (CHECKOUT / "docs" / "deployment.md").read_text(encoding="utf-8")
VARIABLES: Final = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def follow_deployment() -> dict[str, Any]:
    (text,) = blocks("yaml")
    document = YAML(typ="safe", pure=True).load(text)
    assert isinstance(document, dict)
    return document


def test_every_variable_is_a_setting() -> None:
    assert set(re.findall(rf"{ENV_PREFIX}[A-Z_]+", PAGE)) <= VARIABLES


def test_the_systemd_unit_is_complete() -> None:
    _, text = blocks("ini")
    unit = RawConfigParser(strict=True)
    unit.read_string(text)
    assert unit.sections() == ["Unit", "Service", "Install"]
    assert unit["Service"]["ExecStart"].startswith("/opt/coordstream/bin/coordstream follow ")


def test_the_kubernetes_deployment_is_consistent() -> None:
    spec = follow_deployment()["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    images = {container["image"] for container in (*pod["initContainers"], *pod["containers"])}
    assert images == {"coordstream:0.1.0"}
    assert {variable["name"] for variable in pod["containers"][0]["env"]} <= VARIABLES


def test_every_command_and_option_exists(capsys: pytest.CaptureFixture[str]) -> None:
    pod = follow_deployment()["spec"]["template"]["spec"]
    commands = {tuple(container["args"]) for container in (*pod["initContainers"], *pod["containers"])}
    commands |= {
        tuple(found.split()) for found in re.findall(r"(?<![/.])\bcoordstream ((?:follow|migrate|status)[^`\n]*)", PAGE)
    }
    assert len(commands) > 4
    for word, *options in commands:
        assert main([word, "--help"]) == 0
        printed = capsys.readouterr().out
        assert [option for option in options if option.startswith("--") and option not in printed] == []
