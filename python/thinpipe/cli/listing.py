"""``thinpipe scenarios``, ``profiles``, ``keys`` and ``measures``: what can be chosen."""

from __future__ import annotations

import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Annotated, Final

import typer

from thinpipe import _core
from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.outline import outline
from thinpipe.scenario import Key, Scenario, find, first_sentence
from thinpipe.scenario import keys as all_keys
from thinpipe.scenario import profiles as all_profiles
from thinpipe.scenario import scenarios as shipped
from thinpipe.search import is_part, matching
from thinpipe.suggestion import either
from thinpipe.sweep.measures import measures as all_measures
from thinpipe.values import flat

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

MOST: Final = 3
"""Names in a line about what else a word finds."""

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


def keys(
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORD]",
            help="Only keys that begin with it, then those whose name has it elsewhere, or whose "
            "meaning has all of its words; with a dot, as in tcp.rto, the others only if none "
            "begins with it.",
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
    """List the keys of a scenario: their defaults, their values and their meaning.

    A key that has the value of another unless it is given, as middlebox.tcp.window has that of
    tcp.window, is named with that one. --json lists all.
    """
    every = all_keys(profile=profile)
    in_a_name = word is None or any(is_part(word, key.name) for key in every)
    others = [] if word is None or in_a_name else elsewhere(word)
    try:
        listed = all_keys(word, profile=profile)
    except _core.ScenarioError:
        if not others:
            raise
        rest = "; ".join(others)
        raise BadRequestError(f"no key has {word!r} in its name or meaning; {rest}") from None
    if json:
        arguments.print_json([asdict(key) for key in listed])
        return
    roots = dict(_roots({key.name: key.inherits for key in listed}))
    heirs: dict[str, list[str]] = {key.name: [] for key in listed}
    for name, of in roots.items():
        if of != name:
            heirs[of].append(name)
    for key in listed:
        if roots[key.name] != key.name:
            continue
        typer.echo(f"{key.name} = {key.default}")
        for text in (key.doc, f"Takes {key.expected}.", *_more(key, heirs[key.name])):
            typer.echo(_paragraph(text))
        typer.echo()
    for line in others:
        typer.echo(line)


def _roots(parents: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """Yield each key with the one from which it has its value in the end, itself or an ancestor."""
    for name in parents:
        root = name
        while (parent := parents[root]) is not None and parent in parents:
            root = parent
        yield name, root


def elsewhere(word: str) -> list[str]:
    """Return a line for scenarios and one for measures that a word finds."""
    ships = {name: each.description for name, each in shipped().items()}
    measured = {each.name: each.meaning for each in all_measures()}
    return [
        f"{kind} with {word!r}: {', '.join(names[:MOST])}{', …' if names[MOST:] else ''}; {see}"
        for kind, known, see in (
            ("scenarios", ships, "see `thinpipe scenarios`"),
            ("measures", measured, f"see `thinpipe measures {shlex.quote(word)}`"),
        )
        if (names := matching(word, known))
    ]


def measures(
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORD]",
            help="Only measures that begin with it, then those whose name or meaning has it; with "
            "a dot, as in rtt_s.p, the others only if none begins with it.",
            autocompletion=arguments.complete_measure,
        ),
    ] = None,
    *,
    json: Annotated[bool, arguments.AS_JSON] = False,
) -> None:
    """List the measures of a run: their units and their meaning.

    A name is a column of `thinpipe table` and `thinpipe sweep`, for --measure, --x and --y. Names
    without a prefix are of the first flow; total. is before those of all flows together, and
    groups.NAME. before those of a group. NAME is a group or a link, N a number from 0. flows.
    before a count or a rate of a flow is the sum over all flows, links. that over all links.
    """
    listed = all_measures(word)
    if json:
        arguments.print_json([asdict(each) for each in listed])
        return
    width = max(len(each.name) for each in listed)
    for each in listed:
        typer.echo(f"{each.name:<{width}}  {each.unit:<8}  {each.meaning}")


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")


def _more(key: Key, heirs: list[str]) -> Iterator[str]:
    """Yield where a key can be and does something, its other defaults and its heirs."""
    if key.needs:
        places = (f"{needs.key} = {either(needs.kinds)}" for needs in key.needs)
        yield f"Needs {'; '.join(places)}."
    if key.idle:
        yield f"Does nothing {', nor '.join(key.idle)}."
    if key.inherits:
        yield f"Default: that of {key.inherits}."
    if heirs:
        yield f"The default of {', '.join(heirs)}."
    if key.other_defaults:
        others = (f"{other.default} ({', '.join(other.kinds)})" for other in key.other_defaults)
        yield f"Other defaults: {'; '.join(others)}."
