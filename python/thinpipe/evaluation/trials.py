"""The runs behind a table of criteria: sweeps, one after the other in one journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from thinpipe._core import ScenarioError
from thinpipe.controller import KEY, Algorithm, name_of, resolve
from thinpipe.evaluation.criteria import Criterion, Pipe, Settings
from thinpipe.files import listed, read_listed
from thinpipe.scenario import keys
from thinpipe.suggestion import suggestion
from thinpipe.sweep.grid import Grid
from thinpipe.sweep.journal import FIRST_LINE, Journal, line_of
from thinpipe.sweep.plan import Job, Plan
from thinpipe.sweep.running import Execute, executor, run_jobs

ACCURATE: Final = ("dctcp", "prague")
"""Those that need ``tcp.ecn = "accurate"`` (docs/variants.md)."""

RUNS_FILE: Final = "runs.jsonl"
"""What is kept of each run, so that the next evaluation runs only what changed."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A congestion control in the table.

    Attributes
    ----------
    name
        As in the head of its column.
    text
        As ``--set tcp.congestion_control`` takes it.
    value
        What the text names.
    settings
        Further keys of its endpoints, without ``tcp.``.
    """

    name: str
    text: str
    value: str | Algorithm
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, settings: Mapping[str, str] | None = None) -> Contestant:
        """Return the congestion control of a shipped name, or of ``FILE.py:CLASS``.

        Raises
        ------
        ScenarioError
            If there is none.
        """
        algorithm = resolve(text, KEY)
        if algorithm is None:
            words = next(key for key in keys() if key.name == KEY).words
            if text not in words:
                reason = "neither a congestion control that ships nor FILE.py:CLASS"
                hint = suggestion(text, words, f"those that ship are {', '.join(words)}")
                raise ScenarioError(f"{text}: {reason}{hint}")
        needed = {"ecn": "accurate"} if text in ACCURATE else {}
        more = tuple({**needed, **(settings or {})}.items())
        if algorithm is None:
            return cls(text, text, text, more)
        try:
            return cls(name_of(algorithm), text, algorithm, more)
        except ValueError as error:  # a name that ships
            raise ScenarioError(str(error)) from None

    def at(self, places: Iterable[str], *, as_text: bool = False) -> dict[str, Any]:
        """Return the settings that put it there."""
        value = self.text if as_text else self.value
        return {
            f"{place}.{key}": setting
            for place in places
            for key, setting in (("congestion_control", value), *self.settings)
        }


@dataclass(frozen=True, slots=True)
class Trial:
    """A sweep: a criterion in one pipe, with one congestion control in its place.

    Attributes
    ----------
    contestant
        ``None`` if it has no flow here.
    without
        Settings that take others away, or none.
    first
        The index of its first run.
    """

    criterion: Criterion
    pipe: Pipe
    contestant: Contestant | None
    without: tuple[tuple[str, Any], ...]
    plan: Plan
    first: int = 0

    def jobs(self) -> Iterator[Job]:
        """Yield its runs."""
        return (replace(job, index=self.first + job.index) for job in self.plan.jobs())


@dataclass(frozen=True, slots=True)
class Form:
    """How much is run: which seeds, and whether the full grid."""

    seeds: tuple[int, ...]
    is_full: bool


@dataclass(frozen=True, slots=True)
class Trials:
    """All sweeps of an evaluation."""

    all: tuple[Trial, ...]

    @classmethod
    def of(
        cls, criteria: Iterable[Criterion], contestants: Sequence[Contestant], form: Form
    ) -> Trials:
        """Plan and check all runs.

        Raises
        ------
        ScenarioError
            If a combination is invalid; the message begins with the criterion's file.
        """
        found: list[Trial] = []
        first = 0
        for criterion in criteria:
            try:
                for trial in _trials(criterion, contestants, form):
                    found.append(replace(trial, first=first))
                    first += len(trial.plan)
            except ScenarioError as error:
                raise ScenarioError(f"{criterion.path}: {error}") from None
        return cls(tuple(found))

    def __len__(self) -> int:
        return sum(len(trial.plan) for trial in self.all)

    def run(
        self,
        kept: Journal,
        jobs: int | None,
        scheduler: str | None,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[str]:
        """Run what the journal does not have; return the metrics of each run as JSON.

        Runs with a congestion control in Python come last, one after the other, on this machine:
        beside them the others could not run in parallel.
        """
        in_python = [trial for trial in self.all if _is_custom(trial)]
        others = [trial for trial in self.all if not _is_custom(trial)]
        elsewhere, here = executor(jobs, scheduler), executor(jobs, None)
        rows: list[str] = [""] * len(self)
        before = 0
        for trials, execute in ((others, elsewhere), (in_python, here)):
            total = sum(len(trial.plan) for trial in trials)
            done = before

            def count(number: int, _: int, done: int = done) -> None:
                if progress is not None:
                    progress(done + number, len(self))

            found = _run(trials, len(self), kept, execute, count)
            rows = [new or old for new, old in zip(found, rows, strict=True)]
            before += total
        return rows

    def kept(self, rows: Sequence[str]) -> bytes:
        """Return what `RUNS_FILE` holds: a journal of these runs alone, each once, in order."""
        lines = dict.fromkeys(
            line_of(job.digest, rows[job.index]) for trial in self.all for job in trial.jobs()
        )
        return FIRST_LINE + b"".join(lines)


def earlier_runs(out: Path) -> bytes:
    """Return what an evaluation in a directory kept of its runs; empty without one.

    Raises
    ------
    OSError
        If it cannot be read.
    ContentError
        If it is damaged.
    """
    return read_listed(out, RUNS_FILE) if RUNS_FILE in listed(out) else b""


def _run(
    trials: Sequence[Trial],
    total: int,
    kept: Journal,
    execute: Execute,
    progress: Callable[[int, int], None],
) -> list[str]:
    return run_jobs(chain.from_iterable(t.jobs() for t in trials), total, kept, execute, progress)


def _trials(criterion: Criterion, contestants: Sequence[Contestant], form: Form) -> Iterator[Trial]:
    asked = {each.text: each for each in contestants}
    asked |= {text: Contestant.of(text) for text in criterion.always if text not in asked}
    grid = Grid.of(
        criterion.vary_in_full if form.is_full else criterion.vary, form.seeds[: criterion.seeds]
    )
    settled = dict.fromkeys(measure.without for measure in criterion.measures)
    for pipe in criterion.pipes:
        for without in {(): None, **settled}:
            stays = not removes(without, criterion.controller)
            for contestant in asked.values() if stays else (None,):
                placed = {} if contestant is None else contestant.at(criterion.controller)
                plan = Plan.of(
                    pipe.scenario, tuple(_fixed(pipe, placed, without, grid).items()), grid
                )
                yield Trial(criterion, pipe, contestant, without, plan)


def _fixed(
    pipe: Pipe, placed: Settings, without: Iterable[tuple[str, Any]], grid: Grid
) -> Settings:
    """Return the settings of a pipe; what varies takes the place of what the file sets."""
    varied = dict(grid.axes)
    own = {key: value for key, value in pipe.settings.items() if key not in varied}
    return {**own, **placed, **dict(without)}


def removes(without: Iterable[tuple[str, Any]], places: Iterable[str]) -> bool:
    """Return whether settings leave no flow in these places.

    >>> removes([("flow.group.new.count", 0)], ["flow.group.new.tcp"])
    True
    """
    none = {key for key, value in without if key.endswith(".count") and value == 0}
    return all(f"{place.removesuffix('tcp')}count" in none for place in places)


def _is_custom(trial: Trial) -> bool:
    return trial.contestant is not None and not isinstance(trial.contestant.value, str)


def figure(row: Mapping[str, Any], name: str) -> float | None:
    """Return a figure of a run; of a group that is alone it is the total."""
    value = row.get(name if name in row else of_all(name))
    return None if value is None else float(value)


def of_all(name: str) -> str:
    """Return the measure of all flows that a measure of a group is, if there is no other group.

    >>> of_all("groups.new.share")
    'total.share'
    """
    parts = name.split(".")
    return ".".join(["total", *parts[2:]]) if parts[0] == "groups" else name


def decoded(rows: Iterable[str]) -> list[Mapping[str, Any]]:
    """Return the metrics of runs."""
    return [json.loads(row) for row in rows]
