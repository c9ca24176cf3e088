"""The verbs of a noun. Those in a module of their own are imported when they are named, or all are to be listed."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

import typer


class Verb(NamedTuple):
    """A word after a noun, and the function of another module that it runs.

    ``takes_dashes``: an argument may begin with a dash, such as the value -1.
    """

    word: str
    module: str
    function: str
    takes_dashes: bool = False


def noun_app(module: ModuleType, named: str) -> typer.Typer:
    """The verbs of a noun's module: those of its ``app``, and of its ``VERBS`` the named one.

    All of ``VERBS`` are there if no verb or an unknown one is named, for help and suggestions.
    """
    own: typer.Typer = module.app
    verbs: tuple[Verb, ...] = getattr(module, "VERBS", ())
    if not verbs:
        return own
    known = {command.name or getattr(command.callback, "__name__", "") for command in own.registered_commands}
    noun = typer.Typer(no_args_is_help=True)
    noun.registered_commands.extend(own.registered_commands)
    for verb in verbs:
        if verb.word == named or named not in {*known, *(other.word for other in verbs)}:
            noun.command(verb.word, context_settings={"ignore_unknown_options": verb.takes_dashes})(_function(verb))
    return noun


def _function(verb: Verb) -> Callable[..., object]:
    function: Callable[..., object] = getattr(import_module(f"coordstream.cli.{verb.module}"), verb.function)
    return function
