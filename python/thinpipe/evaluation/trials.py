"""The runs behind a table of criteria: sweeps, one after the other in one journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, groupby
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
from thinpipe.sweep.running import Keep, executor, run_jobs

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
        As in the head of its column, with the keys that a user gave.
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
        try:
            algorithm = resolve(text, KEY)
            name = text if algorithm is None else name_of(algorithm)
        except (ScenarioError, ValueError) as error:  # ValueError: a name that ships
            raise ScenarioError(str(error).replace(f"{KEY}=", "").replace(KEY, text)) from None
        ships = _ships()
        if algorithm is None and text not in ships:
            reason = "neither a congestion control that ships nor FILE.py:CLASS"
            hint = suggestion(text, ships, f"those that ship are {', '.join(ships)}")
            raise ScenarioError(f"{text}: {reason}{hint}")
        needed = {"ecn": "accurate"} if text in ACCURATE else {}
        more = tuple({**needed, **(settings or {})}.items())
        given = [f"{key}={value}" for key, value in (settings or {}).items()]
        return cls(", ".join([name, *given]), text, algorithm or text, more)

    def fault(self, error: ScenarioError, places: Iterable[str]) -> ScenarioError | None:
        """Return an error about what stands there, in a user's words; `None` about all else."""
        key, _, rest = str(error).partition("=")
        for place in places:
            own = key.removeprefix(f"{place}.")
            said = rest.replace(f"{place}.", "tcp.")
            if own == key:
                continue
            if own in dict(self.settings):
                return ScenarioError(f"tcp.{own}={said}")
            return ScenarioError(f"{self.name}: {said.partition(': ')[2]}")
        return None

    def at(self, places: Iterable[str], *, as_text: bool = False) -> dict[str, Any]:
        """Return the settings that put it there."""
        value = self.text if as_text else self.value
        return {
            f"{place}.{key}": setting
            for place in places
            for key, setting in (("congestion_control", value), *self.settings)
        }


def _ships() -> list[str]:
    """Return the congestion controls that ship; the default leaves the choice to the variant."""
    key = next(key for key in keys() if key.name == KEY)
    return [word for word in key.words if word != key.default]


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
            If a combination is invalid. The message begins with the criterion's file, or with what
            was asked for if that is at fault.
        """
        found: list[Trial] = []
        first = 0
        for criterion in criteria:
            for trial in _trials(criterion, contestants, form):
                found.append(replace(trial, first=first))
                first += len(trial.plan)
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
        elsewhere, here = executor(jobs, scheduler), executor(jobs, None)

        def execute(points: Iterable[Job], keep: Keep) -> None:
            for is_custom, some in groupby(points, lambda job: bool(job.point.algorithms)):
                (here if is_custom else elsewhere)(some, keep)

        ordered = sorted(self.all, key=_is_custom)
        points = chain.from_iterable(trial.jobs() for trial in ordered)
        return run_jobs(points, len(self), kept, execute, progress)

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


def _trials(criterion: Criterion, contestants: Sequence[Contestant], form: Form) -> Iterator[Trial]:
    with _blaming(criterion):
        always = list(map(Contestant.of, criterion.always))
        varied = criterion.vary_in_full if form.is_full else criterion.vary
        grid = Grid.of(varied, form.seeds[: criterion.seeds])
    asked = list(dict.fromkeys([*contestants, *always]))
    settled = dict.fromkeys(measure.without for measure in criterion.measures)
    for pipe in criterion.pipes:
        for without in {(): None, **settled}:
            stays = not removes(without, criterion.controller)
            for contestant in asked if stays else (None,):
                placed = {} if contestant is None else contestant.at(criterion.controller)
                fixed = tuple(_fixed(pipe, placed, without, grid).items())
                with _blaming(criterion, contestant if contestant in contestants else None):
                    plan = Plan.of(pipe.scenario, fixed, grid)
                yield Trial(criterion, pipe, contestant, without, plan)


@contextmanager
def _blaming(criterion: Criterion, contestant: Contestant | None = None) -> Iterator[None]:
    """Let errors begin with the criterion's file, but for those of what was asked for there."""
    try:
        yield
    except ScenarioError as error:
        fault = None if contestant is None else contestant.fault(error, criterion.controller)
        raise fault or ScenarioError(f"{criterion.path}: {error}") from None


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
