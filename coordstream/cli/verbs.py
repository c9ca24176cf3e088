"""The verbs of a noun that other modules define, until each noun is one module."""

from importlib import import_module
from typing import NamedTuple

import typer


class Verb(NamedTuple):
    """A word after a noun, and the function of another module that it runs.

    ``takes_dashes``: an argument may begin with one dash, for example the value -1.
    """

    word: str
    module: str
    function: str
    takes_dashes: bool = False

    def add_to(self, app: typer.Typer) -> None:
        """Make this a command of the noun."""
        settings = {"ignore_unknown_options": True, "help_option_names": ["--help"]} if self.takes_dashes else None
        function = getattr(import_module(f"coordstream.cli.{self.module}"), self.function)
        app.command(self.word, context_settings=settings)(function)
