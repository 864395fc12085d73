"""``thinpipe pipes``: all networks by name, ours and those of other tools."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.named_pipes import RULE, Pipe, Way, left_out, radio_of
from thinpipe.named_pipes import pipes as all_pipes
from thinpipe.outline import outline
from thinpipe.scenario import first_sentence, named, profiles
from thinpipe.search import matching
from thinpipe.suggestion import suggestion
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

TABLES: Final = {"tcp": "TCP", "radio": "the radio"}

HEAD: Final = ("", "down", "up", "RTT", "loss", "at its source")

SECOND_HAND: Final = "second-hand"


def pipes(
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORD]",
            help="Only those with it in their name, or with all of its words in what they are; a "
            "whole name: all about this one, too.",
            autocompletion=arguments.complete_scenario,
        ),
    ] = None,
    *,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw rates over round trips of those that are listed."),
    ] = None,
    json: Annotated[bool, arguments.AS_JSON] = False,
) -> None:
    """List networks by name: those that ship, and those of other tools with their sources.

    Every name is one for `thinpipe emulate`, `run`, `sweep` and `lab`.
    """
    known = all_pipes()
    names = _found(word)
    listed = [known[name] for name in names if name in known]
    if plot is not None:
        _draw(listed, word, plot)
    if json:
        rows = [_row(name, known.get(name)) for name in names]
        arguments.print_json(rows + ([] if word is not None else [*_rows_of_profiles()]))
    else:
        parts = _lists([name for name in names if name not in known], listed)
        if word in names:
            parts.insert(0, [*_whole(word, known.get(word))])
        if word is None:
            parts += [*_profiles(), _rule()]
        typer.echo("\n\n".join("\n".join(lines) for lines in parts))


def _draw(listed: list[Pipe], word: str | None, file: Path) -> None:
    # Pictures start threads, before which a proxy has to be started.
    from thinpipe.plot.picture import write_pipes_picture

    try:
        write_pipes_picture(listed, file, title=f"Named pipes{f': {word}' if word else ''}")
    except ValueError as error:
        raise BadRequestError(f"--plot {file}: {error}") from None


def _found(word: str | None) -> list[str]:
    """Return the names that a word finds.

    Raises
    ------
    BadRequestError
        If it finds none.
    """
    every = named()
    if word is None:
        return list(every)
    known = all_pipes()
    meanings = {
        name: " ".join((each.description, known[name].once if name in known else ""))
        for name, each in every.items()
    }
    names = matching(word, meanings)
    if not names:
        hint = suggestion(word, every, "`thinpipe pipes` lists all")
        raise BadRequestError(f"no pipe has {word!r} in its name or description{hint}")
    return names


def _row(name: str, pipe: Pipe | None) -> dict[str, Any]:
    """Return all that is known of a name, for programs."""
    scenario = named()[name]
    row: dict[str, Any] = {
        "kind": "scenario" if pipe is None else "pipe",
        "name": name,
        "description": scenario.description,
        "network": outline(scenario.values()),
        "reference": scenario.values()["reference"],
    }
    if pipe is not None:
        source = pipe.source
        row |= {
            "title": pipe.title,
            "source": source.name,
            "document": source.document,
            "read": source.read,
            "second_hand": pipe.is_second_hand,
            "applied": source.applied,
            "scenario": pipe.scenario or None,
            "because": pipe.because or None,
        }
        for way, of in (("down", pipe.down), ("up", pipe.up)):
            if of is not None:
                row[way] = {
                    "rate_bps": of.rate_bps,
                    "delay_s": of.delay_s,
                    "jitter_s": of.jitter_s,
                    "loss": of.loss,
                }
    return row


def _lists(ours: list[str], listed: list[Pipe]) -> list[list[str]]:
    """Return a part for plain names, one for names of other tools and one for scenarios."""
    plain = [pipe for pipe in listed if not pipe.source.key]
    others = [pipe for pipe in listed if pipe.source.key]
    parts = []
    if plain:
        width = max(len(pipe.name) for pipe in plain)
        lines = [f"{pipe.name:<{width}}  {_behind(pipe)}" for pipe in plain]
        parts.append(["Plain names, and what stands behind each:", "", *lines])
    if others:
        head = "Names of other tools; `thinpipe pipes NAME` has all about one:"
        parts.append([head, "", *_table(others)])
    if ours:
        parts.append(
            ["Scenarios that ship:", "", *(line for name in ours for line in _ships(name))]
        )
    return parts


def _ships(name: str) -> Iterator[str]:
    scenario = named()[name]
    values = scenario.values()
    yield f"{name}  {scenario.description}".rstrip()
    yield arguments.paragraph(outline(values))
    if values["reference"]:
        yield arguments.paragraph(f"Source: {values['reference']}")


def _rule() -> list[str]:
    without = "; ".join(f"{each.name}, as {each.reason}" for each in left_out())
    return [f"Figures of other tools. {RULE}", f"Left out: {without}."]


def _behind(pipe: Pipe) -> str:
    if pipe.is_radio:
        return f"{pipe.scenario}: {pipe.because}"
    down, up, rtt, loss = _figures(pipe)
    return f"{down} down, {up} up, RTT {rtt}, loss {loss}: {pipe.because}"


def _table(listed: Iterable[Pipe]) -> list[str]:
    """Return lines of aligned columns."""
    rows = [HEAD, *((pipe.name, *_figures(pipe), _title(pipe)) for pipe in listed)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _figures(pipe: Pipe) -> tuple[str, str, str, str]:
    down, up = pipe.down, pipe.up
    assert down, "a pipe in this table has figures"
    assert up, "a pipe in this table has figures"
    mean, most = (down.delay_s + up.delay_s) * 1e3, (down.jitter_s + up.jitter_s) * 1e3
    rtt = f"{mean - most:g} to {mean + most:g} ms" if most else f"{mean:g} ms"
    return rate(down), rate(up), rtt, f"{down.loss * 100:g} %"


def rate(way: Way) -> str:
    """Return the rate of a direction with a unit.

    >>> rate(Way(1.6e6, 0, 0, 0)), rate(Way(14400, 0, 0, 0)), rate(Way(None, 0, 0, 0))
    ('1.6 Mbit/s', '14.4 kbit/s', 'any')
    """
    if way.rate_bps is None:
        return "any"
    for size, unit in ((1e6, "Mbit/s"), (1e3, "kbit/s")):
        if way.rate_bps >= size:
            return f"{way.rate_bps / size:.4g} {unit}"
    return f"{way.rate_bps:g} bit/s"


def _title(pipe: Pipe) -> str:
    once = f" (once {pipe.once})" if pipe.once else ""
    return f"{pipe.title}{once}{', ' + SECOND_HAND if pipe.is_second_hand else ''}"


def _whole(name: str, pipe: Pipe | None) -> Iterator[str]:
    """Yield all about one name."""
    values = named()[name].values()
    yield f"{name}: {values['description']}"
    yield f"Network: {outline(values)}"
    if pipe is None or pipe.is_radio:
        yield f"Source: {values['reference']}"
    if pipe is not None and pipe.is_radio:
        yield f"It is the scenario {pipe.scenario}."
    if pipe is not None and pipe.because:
        yield f"Why it is believed: {pipe.because}."
    if pipe is not None and (radio := radio_of(pipe)) is not None:
        yield f"The radio that it stands for, live: {radio.name}, which is {radio.scenario}."
    if pipe is not None and pipe.source.key:
        source = pipe.source
        hand = f", {SECOND_HAND}" if pipe.is_second_hand else ""
        yield f"Source: {source.name}: {source.document}, read {source.read}{hand}"
        yield f"Its own tool applies the figures {source.applied}."
        yield f"Here: {RULE}"
    yield f"`thinpipe scenarios {name}` prints its text."


def _known_profiles() -> list[tuple[str, str, str]]:
    """Return table, name and text of each profile."""
    return [
        (table, name, text)
        for table in TABLES
        for name, text in profiles().items()
        if table in tomllib.loads(text)
    ]


def _rows_of_profiles() -> Iterator[dict[str, Any]]:
    for table, name, text in _known_profiles():
        values = flat(tomllib.loads(text)[table])
        yield {"kind": table, "name": name, "description": heading(text), "values": values}


def _profiles() -> Iterator[list[str]]:
    """Yield a part for the profiles of each table."""
    for table, what in TABLES.items():
        lines = [
            f"Profiles of {what}, for --set {table}.profile=NAME: defaults of [{table}]; "
            "`thinpipe keys --profile NAME` lists them.",
            "",
        ]
        for of, name, text in _known_profiles():
            if of == table:
                lines += [
                    name,
                    *map(arguments.paragraph, (heading(text), distinguishing(table, text))),
                ]
        yield lines


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
