"""All named pipes, read from the files of `sources`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from thinpipe.named_pipes.pipe import Pipe, Way
from thinpipe.named_pipes.source import Source


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A name of a source of which no pipe is made."""

    name: str
    reason: str


def pipes() -> dict[str, Pipe]:
    """Return all named pipes, those of our own first.

    Examples
    --------
    >>> pipes()["webpagetest:3g"].rtt_s
    0.3
    """
    return dict(_library()[0])


def radio_of(pipe: Pipe) -> Pipe | None:
    """Return the live radio for which the figures of a pipe stand, by a word of its name.

    Examples
    --------
    >>> radio_of(pipes()["webpagetest:edge"]).scenario
    'edge-4+1'
    """
    if pipe.is_radio:
        return None
    parts = re.split("[:-]", pipe.name)
    live = (each for each in _library()[0].values() if each.is_radio)
    return next((each for each in live if set(each.words) & set(parts)), None)


def left_out() -> list[LeftOut]:
    """Return the names of sources of which no pipe is made, and why."""
    return list(_library()[1])


@cache
def _library() -> tuple[dict[str, Pipe], list[LeftOut]]:
    texts = {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
        for file in files(__package__).joinpath("sources").iterdir()
        if file.name.endswith(".toml")
    }
    in_order = sorted(texts.items(), key=lambda item: (not item[1].get("plain", False), item[0]))
    found: dict[str, Pipe] = {}
    without: list[LeftOut] = []
    for key, table in in_order:
        prefix = "" if table.get("plain", False) else f"{key}:"
        source = Source(
            prefix.removesuffix(":"),
            table["name"],
            table["document"],
            table["read"],
            table["applied"],
            table.get("second_hand", False),
        )
        found.update((pipe.name, pipe) for pipe in _pipes(prefix, source, table))
        without += [
            LeftOut(prefix + name, reason) for name, reason in table.get("left_out", {}).items()
        ]
    return found, without


def _pipes(prefix: str, source: Source, table: Mapping[str, Any]) -> Iterator[Pipe]:
    for name, given in table["pipes"].items():
        is_radio = "scenario" in given
        down, up = (None, None) if is_radio else _ways(given, table.get("kilo", 1000))
        yield Pipe(
            prefix + name,
            given.get("title", name),
            source,
            down,
            up,
            given.get("scenario", ""),
            given.get("because", ""),
            tuple(given.get("words", ())),
            given.get("once", ""),
            source.is_second_hand or given.get("second_hand", False),
        )


def _ways(given: Mapping[str, Any], kilo: int) -> tuple[Way, Way]:
    """Return both directions; rates in kbit/s, times of the round trip or of each way in ms."""
    delays = given.get("delay", [given.get("rtt", 0) / 2] * 2)
    jitter = 0.0
    if "range" in given:
        low, high = given["range"]
        delays, jitter = [(low + high) / 4] * 2, (high - low) / 4
    loss = given.get("loss", 0) / 100
    rates = [given.get(way) for way in ("down", "up")]
    down, up = (
        Way(None if rate is None else rate * kilo, delay / 1e3, jitter / 1e3, loss)
        for rate, delay in zip(rates, delays, strict=True)
    )
    return down, up
