"""docs/commands.md is generated from the help of the commands, by Typer."""

import os
from typing import Final

import typer
from typer.cli import get_docs_for_click

from coordstream.cli.app import COMMANDS, LazyGroup, build_app, load
from tests.checkout import CHECKOUT

PAGE: Final = CHECKOUT / "docs" / "commands.md"
RENEW: Final = "RENEW_DOCS"


def made_page() -> str:
    group = typer.main.get_group(build_app())
    assert isinstance(group, LazyGroup)
    group.commands = {word: load(word) for word in COMMANDS}
    context = typer.Context(group, info_name="coordstream")
    return get_docs_for_click(obj=group, ctx=context, name="coordstream", title="Commands").strip() + "\n"


def test_the_page_is_generated_from_the_help() -> None:
    made = made_page()
    if os.environ.get(RENEW):
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made, "The help of a command has changed. Run `make docs` and commit."
