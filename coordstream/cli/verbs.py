"""The verbs of a noun. A verb with its own module is imported when it is named, or when all verbs are listed."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

import typer

from coordstream.cli.plain_help import PlainCommand

_SINGLE_BREAK: Final = re.compile(r"(?<!\n)\n(?!\n|- )")


class Verb(NamedTuple):
    """A word after a noun, and the function of another module that it runs.

    ``takes_dashes``: an argument may begin with one dash, for example the value -1. Only -h alone is help.
    """

    word: str
    module: str
    function: str
    takes_dashes: bool = False


def noun_app(module: ModuleType, named: str) -> typer.Typer:
    """The verbs of a noun's module: those of its ``app``, and the named one of its ``VERBS``.

    All of ``VERBS`` are loaded, for help and suggestions, if no verb or an unknown one is named.
    """
    own: typer.Typer = module.app
    verbs: tuple[Verb, ...] = getattr(module, "VERBS", ())
    if not verbs:
        return reflow(own)
    known = {command.name or getattr(command.callback, "__name__", "") for command in own.registered_commands}
    noun = typer.Typer(no_args_is_help=True)
    noun.registered_callback = own.registered_callback
    noun.registered_commands.extend(own.registered_commands)
    for verb in verbs:
        if verb.word == named or named not in {*known, *(other.word for other in verbs)}:
            noun.command(verb.word, context_settings={"ignore_unknown_options": verb.takes_dashes})(_function(verb))
    return reflow(noun)


def reflow(app: typer.Typer) -> typer.Typer:
    """The same commands, their help with one line for each paragraph and list item: Typer keeps every line break."""
    for command in app.registered_commands:
        command.cls = PlainCommand
        command.help = _SINGLE_BREAK.sub(" ", command.help or inspect.getdoc(command.callback) or "")
    return app


def _function(verb: Verb) -> Callable[..., object]:
    function: Callable[..., object] = getattr(import_module(f"coordstream.cli.{verb.module}"), verb.function)
    return function
