"""Commands of the program, and what all of them check of their arguments."""

from __future__ import annotations

import re
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from thinpipe.cli.bad_request import BadRequestError

COMMAND: Final = "command"
"""The parameter that is another program with its arguments, which may be empty."""


class Command(TyperCommand):
    """A command without empty arguments: they come from a variable that a shell has not set."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of typer
        """Parse the arguments."""
        _refuse_empty(self, ctx, args)
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A command with commands of its own, and without empty arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of typer
        """Parse the arguments."""
        _refuse_empty(self, ctx, args)
        return super().parse_args(ctx, args)


def _refuse_empty(command: Command | Group, ctx: Any, args: list[str]) -> None:  # noqa: ANN401
    if ctx.resilient_parsing:  # of a shell that completes
        return
    given, _, order = command.make_parser(ctx).parse_args(args=[*args])
    for parameter in order:
        value = given.get(parameter.name or "")
        values = value if isinstance(value, list | tuple) else [value]
        if "" in values and parameter.name != COMMAND:
            name = parameter.opts[0] if parameter.opts[0].startswith("-") else "argument"
            raise BadRequestError(
                f"{name} '': is empty; expected {re.sub(r'[][]', '', parameter.metavar or name)}, "
                f"see `{ctx.command_path} --help`"
            )
