"""Guided pages: a state of the lab, a text, a question with its answer, and the facts behind it.

Each is a file of `lab/lessons`, in the order of their names. The page gets all but the facts, which
the tests hold against runs: a number in a lesson is one that a run gives.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from thinpipe.lab.request import Request, Settings
from thinpipe.sweep.metrics import metrics_of

LESSONS: Final = Path(__file__).parent / "lessons"

WITHOUT: Final = "without"
"""In a fact, the run of the first variant without its middlebox."""

UNITS: Final = {"kbit/s": 1e3, "Mbit/s": 1e6, "s": 1.0, "ms": 1e-3, "kB": 1e3, "%": 0.01}
"""Of quoted numbers, in what results have; other words count one."""

TEXTS: Final = ("title", "text", "question", "answer")
STATE: Final = ("scenario", "set", "variants", "span", "panels", "focus", "flow", "without")
"""What a lesson says of the page, as `Request` takes it; only the scenario must be there."""


class LessonError(ValueError):
    """A lesson's file is wrong; the message is one line that names it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a lesson claims of its runs.

    Attributes
    ----------
    measure
        As `thinpipe.measures` lists it.
    run
        The variant's number, or ``"without"``.
    flow
        Whose it is, for measures of a flow.
    of
        If given, the value is divided by that of this run.
    at_least, at_most
        Bounds of the value.
    quoted
        The value as the lesson's text prints it: ``"312 kbit/s"``, ``"4.5 times"``.
    """

    measure: str
    run: int | str = 0
    flow: int = 0
    of: int | str | None = None
    at_least: float | None = None
    at_most: float | None = None
    quoted: str | None = None

    def value(self, runs: Mapping[int | str, Mapping[str, Any]]) -> float:
        """Return the value in runs, each as ``thinpipe run --json`` prints it.

        Raises
        ------
        KeyError
            If a run does not have the measure.
        """
        value = _measured(runs[self.run], self.measure, self.flow)
        return value if self.of is None else value / _measured(runs[self.of], self.measure, 0)

    def holds(self, value: float) -> bool:
        """Return whether a value is within the bounds, and as the text prints it."""
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
            and (self.quoted is None or self.printed(value) == self.quoted)
        )

    def printed(self, value: float) -> str:
        """Return a value with the unit and the decimal places of what is quoted."""
        number, _, unit = (self.quoted or "").partition(" ")
        places = len(number.partition(".")[2])
        return f"{value / UNITS.get(unit, 1.0):,.{places}f} {unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A guided page."""

    name: str
    title: str
    text: str
    question: str
    answer: str
    state: Mapping[str, Any]
    facts: Sequence[Fact] = field(default=())

    def page(self) -> dict[str, Any]:
        """Return what a page gets of it."""
        told = {name: getattr(self, name) for name in TEXTS}
        return {"name": self.name, **told, "state": dict(self.state)}

    def request(self) -> Request:
        """Return its state as a request."""
        return Request.of(dict(self.state))

    def runs(self) -> dict[int | str, Settings]:
        """Return the settings of each run that its facts may be about."""
        request = self.request()
        merged: dict[int | str, Settings] = {
            number: tuple({**dict(request.settings), **dict(variant)}.items())
            for number, variant in enumerate(request.variants)
        }
        if request.without:
            merged[WITHOUT] = tuple({**dict(merged[0]), "middlebox.kind": "none"}.items())
        return merged


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons in their order.

    Raises
    ------
    LessonError
        If a file is wrong.
    """
    return tuple(read(file) for file in sorted(LESSONS.glob("*.toml")))


def read(file: Path) -> Lesson:
    """Read a lesson.

    Raises
    ------
    LessonError
        If the file is wrong.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        unknown = content.keys() - {*TEXTS, *STATE, "facts"}
        if unknown:
            raise ValueError(f"unknown key {min(unknown)!r}")
        told = {name: _text(content, name) for name in TEXTS}
        state: dict[str, Any] = {name: content[name] for name in STATE if name in content}
        if not state.get("scenario"):
            raise ValueError("scenario: must be there")
        facts = tuple(Fact(**each) for each in content.get("facts", ()))
        lesson = Lesson(file.stem, **told, state=state, facts=facts)
        lesson.request()
    except (TypeError, ValueError) as error:
        raise LessonError(f"{file.name}: {error}") from None
    return lesson


def _text(content: Mapping[str, Any], name: str) -> str:
    """Return a text; what is broken into lines in the file is one paragraph."""
    text = content.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name}: must be a text")
    return " ".join(text.split())


def _measured(run: Mapping[str, Any], measure: str, flow: int) -> float:
    """Return a measure of a run; those of a flow are of the one with this number."""
    of_flow = {**run, "flows": [run["flows"][flow]]} if flow else run
    value = metrics_of(of_flow)[measure]
    if value is None:
        raise KeyError(measure)
    return float(value)
