"""``thinpipe scenarios`` and ``thinpipe profiles``: what ships."""

from __future__ import annotations

import typer

from thinpipe.scenario import scenarios as shipped


def scenarios() -> None:
    """List the scenarios that ship."""
    found = shipped()
    width = max((len(name) for name in found), default=0)
    for name, scenario in found.items():
        typer.echo(f"{name:<{width}}  {scenario.description}".rstrip())


def profiles() -> None:
    """List the scenarios that ship (the same list)."""
    scenarios()
