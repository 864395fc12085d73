"""``thinpipe scenarios``, ``profiles`` and ``keys``: list what can be chosen."""

from __future__ import annotations

import difflib
import re
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.outline import outline
from thinpipe.scenario import Key, Scenario, find, first_sentence
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


def scenarios(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Print the text of this one.",
            autocompletion=arguments.complete_scenario,
        ),
    ] = None,
    *,
    json: Annotated[bool, arguments.AS_JSON] = False,
) -> None:
    """List the scenarios that ship, or print one as TOML, to start from."""
    if name is not None:
        if json:
            raise BadRequestError(f"--json is for the list, not for {name}")
        typer.echo(find(name).source, nl=False)
        return
    found = shipped()
    if json:
        arguments.print_json(
            [{"name": key, "description": each.description} for key, each in found.items()]
        )
        return
    width = max((len(name) for name in found), default=0)
    for key, each in found.items():
        typer.echo(f"{key:<{width}}  {each.description}".rstrip())


def profiles(*, json: Annotated[bool, arguments.AS_JSON] = False) -> None:
    """List the networks that ship, and the profiles that they can use."""
    networks = {name: (each.description, network(each)) for name, each in shipped().items()}
    known = [
        (table, name, text)
        for table in TABLES
        for name, text in all_profiles().items()
        if table in tomllib.loads(text)
    ]
    if json:
        rows = [
            {"kind": "scenario", "name": name, "description": description, "network": lines}
            for name, (description, lines) in networks.items()
        ]
        arguments.print_json(
            rows
            + [
                {"kind": table, "name": name, "description": heading(text),
                 "values": flat(tomllib.loads(text)[table])}
                for table, name, text in known
            ]
        )  # fmt: skip
        return
    typer.echo("Scenarios, for `thinpipe emulate NAME` and `thinpipe run NAME`:\n")
    for name, (description, lines) in networks.items():
        typer.echo(f"{name}  {description}".rstrip())
        for line in lines:
            typer.echo(_paragraph(line))
    for table, what in TABLES.items():
        typer.echo(
            f"\nProfiles of {what}, for --set {table}.profile=NAME: defaults of [{table}]; "
            "`thinpipe keys --profile NAME` lists them.\n"
        )
        for of, name, text in known:
            if of == table:
                typer.echo(name)
                for line in (heading(text), distinguishing(table, text)):
                    typer.echo(_paragraph(line))


def network(scenario: Scenario) -> list[str]:
    """Return the outline of a scenario's network, and its source if it names one."""
    values = scenario.values()
    source = values["reference"]
    return [outline(values), *([f"Source: {source}"] if source else [])]


def heading(text: str) -> str:
    """Return the first sentence of the comment at the head of a TOML text."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = comment[0].replace("#", " ").split() if comment else []
    return first_sentence(" ".join(words))


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
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORD]",
            help="Only keys that begin with it, as in tcp.rto; if none does, those whose name or "
            "meaning has it.",
            autocompletion=arguments.complete_key,
        ),
    ] = None,
    *,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="List the defaults under this profile."),
    ] = None,
    json: Annotated[bool, arguments.AS_JSON] = False,
) -> None:
    """List the keys of a scenario: their defaults, their values and their meaning."""
    found = all_keys(profile)
    if word is not None:
        found = matching(found, word)
    if json:
        arguments.print_json([asdict(key) for key in found])
        return
    for key in found:
        typer.echo(f"{key.name} = {key.default}")
        for text in (key.doc, f"Takes {key.expected}."):
            typer.echo(_paragraph(text))
        typer.echo()


def matching(found: Sequence[Key], word: str) -> list[Key]:
    """Return the keys that begin with a word, or else those whose name or meaning has it.

    Raises
    ------
    BadRequestError
        If there is none.
    """
    text = word.lower()
    names = {key.name: key for key in found}
    begin = [key for key in found if key.name.startswith(text)]
    named = begin or [key for key in found if text in key.name]
    meant = named or [key for key in found if text in f"{key.doc} {key.expected}".lower()]
    if meant:
        return meant
    nearest = difflib.get_close_matches(text, names, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else "; see `thinpipe keys`"
    raise BadRequestError(f"no key has {word!r} in its name or meaning{hint}")


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")
