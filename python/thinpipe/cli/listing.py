"""``thinpipe scenarios``, ``profiles`` and ``keys``: what there is to choose from."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from thinpipe.scenario import keys as all_keys
from thinpipe.scenario import scenarios as shipped


def scenarios() -> None:
    """List the scenarios that ship."""
    found = shipped()
    width = max((len(name) for name in found), default=0)
    for name, each in found.items():
        typer.echo(f"{name:<{width}}  {each.description}".rstrip())


def profiles() -> None:
    """List the scenarios that ship (the same list)."""
    scenarios()


def keys(
    *,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="List the defaults under this tcp.profile."),
    ] = None,
) -> None:
    """List every key of a scenario: its default, what it may be and what it means."""
    for key in all_keys(profile):
        typer.echo(f"{key.name} = {key.default}")
        for text in (key.doc, f"Takes {key.expected}."):
            typer.echo(textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    "))
        typer.echo()
