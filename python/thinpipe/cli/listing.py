"""``thinpipe scenarios``, ``profiles`` and ``keys``: list what can be chosen."""

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

DISTINGUISHING: Final = {
    "tcp": (
        "variant", "window", "initial_window", "min_rto", "tick", "limited_transmit",
        "recover_guard", "delayed_ack", "sack", "timestamps",
    ),
    "radio": (
        "dpcch", "rlc.mode", "rlc.arq", "rlc.pdu_payload", "rlc.concatenation",
        "rlc.recovery_timeout", "rlc.retransmissions_first",
    ),
}  # fmt: skip
"""The keys by which the profiles of a table differ most."""

TABLES: Final = {"tcp": "TCP", "radio": "the radio"}


def scenarios() -> None:
    """List the scenarios that ship."""
    found = shipped()
    width = max((len(name) for name in found), default=0)
    for name, each in found.items():
        typer.echo(f"{name:<{width}}  {each.description}".rstrip())


def profiles() -> None:
    """List the networks that ship, and the profiles that they can use."""
    typer.echo("Scenarios, for `thinpipe emulate NAME` and `thinpipe run NAME`:\n")
    for name, each in shipped().items():
        typer.echo(f"{name}  {each.description}".rstrip())
        for line in network(each):
            typer.echo(_paragraph(line))
    for table, what in TABLES.items():
        typer.echo(
            f"\nProfiles of {what}, for --set {table}.profile=NAME: defaults of [{table}]; "
            "`thinpipe keys --profile NAME` lists them.\n"
        )
        for name, text in all_profiles().items():
            if table in tomllib.loads(text):
                typer.echo(name)
                for line in (first_sentence(text), distinguishing(table, text)):
                    typer.echo(_paragraph(line))


def network(scenario: Scenario) -> list[str]:
    """Return the outline of a scenario's network, and its source if it names one."""
    values = scenario.values()
    source = values["reference"]
    return [outline(values), *([f"Source: {source}"] if source else [])]


def first_sentence(text: str) -> str:
    """Return the first sentence of the comment at the head of a TOML text."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = comment[0].replace("#", " ").split() if comment else []
    return re.split(r"(?<=\.)\s", " ".join(words), maxsplit=1)[0]


def distinguishing(table: str, profile: str) -> str:
    """Return a profile's values of the keys in `DISTINGUISHING`, as settings."""
    values = flat(tomllib.loads(profile)[table])
    return ", ".join(
        f"{key}={str(values[key]).lower() if isinstance(values[key], bool) else values[key]}"
        for key in DISTINGUISHING[table]
        if key in values
    )


def flat(table: dict[str, Any]) -> dict[str, object]:
    """Return the values of a nested table by their dotted names."""
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
    """List every key of a scenario: its default, its values and its meaning."""
    for key in all_keys(profile):
        typer.echo(f"{key.name} = {key.default}")
        for text in (key.doc, f"Takes {key.expected}."):
            typer.echo(_paragraph(text))
        typer.echo()


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")
