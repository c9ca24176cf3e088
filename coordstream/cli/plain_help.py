"""Help in the words of users: Typer names Python's types, `<bool>` for a flag and `<list[Path]>` for files."""

from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption


class PlainCommand(TyperCommand):
    """A command whose help names values as our options do (FILE, N), and shows nothing beside a flag."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, without the names of Python's types."""
        return [_without_type(parameter) for parameter in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As Typer; its error for an option without its argument lacks the context, which names the command."""
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            error.ctx = getattr(error, "ctx", None) or ctx  # type: ignore[attr-defined]
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the command in its usage: `JOB [TASK]`, where Typer writes `{JOB} [TASK]`."""
        return [_without_braces(piece) for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """A noun, or the program itself: PlainCommand for a command with verbs."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, without the names of Python's types."""
        return [_without_type(parameter) for parameter in super().get_params(ctx)]


def _without_type(parameter: Any) -> Any:
    if isinstance(parameter, TyperOption) and parameter.is_flag:
        parameter.metavar = ""
    elif isinstance(parameter, TyperArgument) and not parameter.type_descriptor.is_choice:
        parameter.__class__ = _Argument
    return parameter


class _Argument(TyperArgument):
    """An argument whose name says what it is."""

    def display_type_rich(self, ctx: Any) -> str | None:  # noqa: ARG002 (of Typer)
        return None


def _without_braces(piece: str) -> str:
    return piece[1:].replace("}", "", 1) if piece.startswith("{") else piece
