"""``thinpipe scenarios``, ``profiles`` and ``keys``: what there is to choose from."""

from __future__ import annotations

import re
import textwrap
import tomllib
from typing import Annotated, Any, Final

import typer

from thinpipe.cli.outline import outline
from thinpipe.scenario import Scenario
from thinpipe.scenario import keys as all_keys
from thinpipe.scenario import profiles as all_profiles
from thinpipe.scenario import scenarios as shipped

TELLING: Final = {
    "tcp": (
        "variant", "window", "initial_window", "min_rto", "tick", "limited_transmit",
        "recover_guard", "delayed_ack", "sack", "timestamps",
    ),
    "radio": (
        "dpcch", "rlc.mode", "rlc.arq", "rlc.pdu_payload", "rlc.concatenation",
        "rlc.recovery_timeout", "rlc.retransmissions_first",
    ),
}  # fmt: skip
"""Of each table that has profiles, the keys by which they differ most."""

OF_WHAT: Final = {"tcp": "TCP", "radio": "the radio"}


def scenarios() -> None:
    """List the scenarios that ship."""
    found = shipped()
    width = max((len(name) for name in found), default=0)
    for name, each in found.items():
        typer.echo(f"{name:<{width}}  {each.description}".rstrip())


def profiles() -> None:
    """List the networks that ship, and the profiles that any of them can have."""
    typer.echo("Scenarios, for `thinpipe emulate NAME` and `thinpipe run NAME`:\n")
    for name, each in shipped().items():
        typer.echo(f"{name}  {each.description}".rstrip())
        for line in network(each):
            typer.echo(_paragraph(line))
    for table, what in OF_WHAT.items():
        typer.echo(
            f"\nProfiles of {what}, for --set {table}.profile=NAME: defaults of [{table}]; "
            "`thinpipe keys --profile NAME` lists them.\n"
        )
        for name, text in all_profiles().items():
            if table in tomllib.loads(text):
                typer.echo(name)
                for line in (first_sentence(text), telling(table, text)):
                    typer.echo(_paragraph(line))


def network(scenario: Scenario) -> list[str]:
    """Return what a scenario's network has, each way, and the source of that if it names one."""
    values = scenario.values()
    source = values["reference"]
    return [outline(values), *([f"Source: {source}"] if source else [])]


def first_sentence(text: str) -> str:
    """Return the first sentence of the comment with which a TOML text begins."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = comment[0].replace("#", " ").split() if comment else []
    return re.split(r"(?<=\.)\s", " ".join(words), maxsplit=1)[0]


def telling(table: str, profile: str) -> str:
    """Return what a profile of ``table`` has for the keys of `TELLING`, as settings."""
    values = flat(tomllib.loads(profile)[table])
    return ", ".join(
        f"{key}={str(values[key]).lower() if isinstance(values[key], bool) else values[key]}"
        for key in TELLING[table]
        if key in values
    )


def flat(table: dict[str, Any]) -> dict[str, object]:
    """Return the values of a table and of those in it, by their dotted names."""
    values: dict[str, object] = {}
    for key, value in table.items():
        inner = flat(value) if isinstance(value, dict) else None
        values |= {key: value} if inner is None else {f"{key}.{k}": v for k, v in inner.items()}
    return values


def keys(
    *,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="List the defaults under this profile."),
    ] = None,
) -> None:
    """List every key of a scenario: its default, what it may be and what it means."""
    for key in all_keys(profile):
        typer.echo(f"{key.name} = {key.default}")
        for text in (key.doc, f"Takes {key.expected}."):
            typer.echo(_paragraph(text))
        typer.echo()


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")
