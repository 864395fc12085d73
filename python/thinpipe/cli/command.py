"""Commands of the program, and what all of them check of their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import typer
from typer.core import TyperCommand, TyperGroup

from thinpipe.cli.bad_request import BadRequestError

COMMAND: Final = "command"
"""The parameter that is another program with its arguments: they may be empty, and repeated."""

UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)
"""The base of click's errors about arguments; typer has no public name for it."""


class Command(TyperCommand):
    """A command without empty arguments, or any that is given twice.

    Empty ones come from a variable that a shell has not set. Of an option that is given twice, only
    the last value would count.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of typer
        """Parse the arguments."""
        with _of(ctx):
            _check(self, ctx, args)
            return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A command with commands of its own; its arguments are those of a `Command`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of typer
        """Parse the arguments."""
        with _of(ctx):
            _check(self, ctx, args)
            return super().parse_args(ctx, args)


@contextmanager
def _of(ctx: Any) -> Iterator[None]:  # noqa: ANN401 - of typer
    """Let errors about arguments know their command: that of a missing value does not."""
    try:
        yield
    except UsageError as error:
        error.ctx = error.ctx or ctx
        raise


def _check(command: Command | Group, ctx: Any, args: list[str]) -> None:  # noqa: ANN401 - of typer
    """Refuse an empty argument, an option given twice, and a value given twice."""
    if ctx.resilient_parsing:  # of a shell that completes
        return
    given, _, order = command.make_parser(ctx).parse_args(args=[*args])
    for parameter in order:
        value = given.get(parameter.name or "")
        values = value if isinstance(value, list | tuple) else [value]
        is_option = parameter.opts[0].startswith("-")
        name = parameter.opts[0] if is_option else "argument"
        if "" in (values[:1] if parameter.name == COMMAND else values):
            raise BadRequestError(
                f"{name} '': is empty; expected {re.sub(r'[][]', '', parameter.metavar or name)}, "
                f"see `{ctx.command_path} --help`"
            )
        repeats = getattr(parameter, "multiple", False)
        if is_option and not repeats and order.count(parameter) > 1:
            raise BadRequestError(f"{name}: is given twice; give it once")
        twice = next((each for each in values if values.count(each) > 1), None)
        if twice is not None and parameter.name != COMMAND and (repeats or not is_option):
            raise BadRequestError(f"{name} {twice}: is given twice; give it once")
