"""Help in the words of users: Typer names Python's types, `<bool>` for a flag and `<list[Path]>` for files.

Also, which arguments are accepted: those that begin with a dash, and those in UTF-8.
"""

from typing import Any, Final

import typer
from typer._click.parser import _OptionParser, _ParsingState
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from coordstream.cli.arguments.raw_text import require_utf8

_EXTRA_ARGUMENTS: Final = (
    "Got unexpected extra arguments (not shown: they may be part of a value). Quote a value that has spaces."
)


class PlainCommand(TyperCommand):
    """A command whose help names values as our options do (FILE, N), and shows nothing beside a flag."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, without the names of Python's types."""
        return [_without_type(parameter) for parameter in super().get_params(ctx)]

    def make_parser(self, ctx: Any) -> _OptionParser:
        """As Typer; where arguments may begin with a dash, a longer word such as -2h contains no options."""
        parser = super().make_parser(ctx)
        if parser.ignore_unknown_options:
            parser.__class__ = _WholeWords
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As Typer; its error for an option without its argument lacks the context, which names the command.

        Text that is not UTF-8 is refused, but not while a shell asks for completions. Typer's error repeats
        extra arguments; that of a command which takes values does not, because they may be part of a secret.
        """
        takes_values = any("VALUE" in (parameter.metavar or "") for parameter in self.params)
        ctx.allow_extra_args = ctx.allow_extra_args or takes_values
        try:
            rest = super().parse_args(ctx, args)
        except typer.TyperException as error:
            error.ctx = getattr(error, "ctx", None) or ctx  # type: ignore[attr-defined]
            raise
        if not ctx.resilient_parsing:
            require_utf8(ctx, self.get_params(ctx))
            if rest and takes_values:
                raise typer.BadParameter(_EXTRA_ARGUMENTS, ctx=ctx)
        return rest

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the command in its usage: `JOB [TASK]`, where Typer writes `{JOB} [TASK]`."""
        return [_without_braces(piece) for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """A noun, or the program itself: PlainCommand for a command with verbs."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, without the names of Python's types."""
        return [_without_type(parameter) for parameter in super().get_params(ctx)]


class _WholeWords(_OptionParser):
    """A parser that takes -h for an option, and -2h for an argument."""

    def _match_short_opt(self, arg: str, state: _ParsingState) -> None:
        if len(arg) == len("-h"):
            super()._match_short_opt(arg, state)
        else:
            state.largs.append(arg)


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
