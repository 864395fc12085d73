"""``thinpipe scenarios``, ``keys`` and ``measures``: what can be chosen."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Annotated, Final

import typer

from thinpipe import _core
from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.scenario import Key, find
from thinpipe.scenario import keys as all_keys
from thinpipe.scenario import scenarios as shipped
from thinpipe.search import is_part, matching
from thinpipe.suggestion import either
from thinpipe.sweep.measures import measures as all_measures

MOST: Final = 3
"""Names in a line about what else a word finds."""


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
            typer.echo(arguments.paragraph(text))
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
