"""What an evaluation found: each measure of each criterion, for each congestion control."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thinpipe.evaluation.criteria import Criterion, Measure, texts
from thinpipe.evaluation.harm import harm
from thinpipe.evaluation.trials import Trial, Trials, decoded, figure, of_all
from thinpipe.report.numbers import short
from thinpipe.sweep.interval import Estimate
from thinpipe.sweep.words import Scale, parameter_scale, scaled_text
from thinpipe.values import as_text

ARROWS: Final = {"more": "↑", "less": "↓", "neither": ""}

Values = tuple[float | None, ...]
"""A measure with each seed; ``None`` where it does not apply."""


@dataclass(frozen=True, slots=True)
class Line:
    """A measure in one pipe, with one combination of what varies.

    Attributes
    ----------
    varied
        What varies in the pipe, as settings.
    values
        By congestion control.
    """

    pipe: str
    varied: tuple[tuple[str, str], ...]
    measure: Measure
    values: Mapping[str, Values]

    @property
    def place(self) -> str:
        """The pipe, and what varies there."""
        varied = ", ".join(f"{key} = {value}" for key, value in self.varied)
        return f"{self.pipe}: {varied}" if varied else self.pipe

    def estimate(self, name: str) -> Estimate | None:
        """Return the mean over seeds, with its interval."""
        return Estimate.of([each for each in self.values[name] if each is not None])

    @property
    def scale(self) -> Scale:
        """The unit in which all congestion controls are shown."""
        unit = self.measure.unit
        shown = [each for name in self.values for each in self.values[name] if each is not None]
        return parameter_scale(unit, shown) if unit else Scale("")

    @property
    def arrow(self) -> str:
        """Whether more or less is better; of harm less is."""
        return "↓" if self.measure.without else ARROWS[self.measure.better]

    def text(self, name: str) -> str:
        """Return the mean and half of the interval, as a sweep prints them."""
        estimate = self.estimate(name)
        return scaled_text(estimate, self.scale.factor, len(self.values[name]))

    def spread(self, name: str) -> str:
        """Return the least and the greatest value; empty where all are the same."""
        found = sorted(each for each in self.values[name] if each is not None)
        if not found or found[0] == found[-1]:
            return ""
        return f"{short(self.scale.factor * found[0])} to {short(self.scale.factor * found[-1])}"


@dataclass(frozen=True, slots=True)
class Command:
    """What repeats a part of a criterion's runs: in which pipe, and of whom."""

    pipe: str
    of: str
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What was measured of a criterion; no lines where a reason says why not."""

    criterion: Criterion
    lines: tuple[Line, ...]
    commands: tuple[Command, ...]
    runs: int


def findings(
    criteria: Sequence[Criterion], trials: Trials, rows: Sequence[str]
) -> tuple[Finding, ...]:
    """Return what was found, in the order of the criteria; `rows` are the metrics of all runs."""
    runs = decoded(rows)
    found = []
    for criterion in criteria:
        own = [trial for trial in trials.all if trial.criterion is criterion]
        lines = tuple(_lines(criterion, own, runs))
        count = sum(len(trial.plan) for trial in own)
        commands = tuple(_command(trial, runs[trial.first]) for trial in own)
        found.append(Finding(criterion, lines, commands, count))
    return tuple(found)


def contestants(finding: Finding) -> list[str]:
    """Return the congestion controls of a finding, in the order of its columns."""
    return list(dict.fromkeys(name for line in finding.lines for name in line.values))


def _lines(
    criterion: Criterion, own: Sequence[Trial], runs: Sequence[Mapping[str, Any]]
) -> Iterator[Line]:
    for pipe in criterion.pipes:
        here = [trial for trial in own if trial.pipe is pipe]
        whole = [trial for trial in here if not trial.without]
        for number, combination in enumerate(whole[0].plan.grid.combinations()):
            varied = tuple((key, as_text(key, value)) for key, value in combination)
            for measure in criterion.measures:
                values = {
                    trial.contestant.name: _values(measure, trial, here, number, runs)
                    for trial in whole
                    if trial.contestant is not None
                }
                yield Line(pipe.scenario.name, varied, measure, values)


def _values(
    measure: Measure,
    trial: Trial,
    here: Sequence[Trial],
    combination: int,
    runs: Sequence[Mapping[str, Any]],
) -> Values:
    """Return a measure of one congestion control with each seed."""
    beside = [_value(measure, run) for run in _runs(trial, combination, runs)]
    if not measure.without or measure.better == "neither":  # a harm is of what may be better
        return tuple(beside)
    [alone] = [
        each
        for each in here
        if each.without == measure.without and each.contestant in (None, trial.contestant)
    ]
    before = [_value(measure, run) for run in _runs(alone, combination, runs)]
    return tuple(
        None if one is None or other is None else harm(one, other, measure.better)
        for one, other in zip(before, beside, strict=True)
    )


def _runs(
    trial: Trial, combination: int, runs: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """Return the runs of a combination, one a seed."""
    seeds = len(trial.plan.grid.seeds)
    first = trial.first + combination * seeds
    return runs[first : first + seeds]


def _value(measure: Measure, run: Mapping[str, Any]) -> float | None:
    value = figure(run, measure.of)
    if value is None or not measure.per:
        return value
    divisor = figure(run, measure.per)
    return value / divisor if divisor else None


def _command(trial: Trial, run: Mapping[str, Any]) -> Command:
    """Return the sweep that repeats a trial, of which `run` is one."""
    places = trial.criterion.controller
    placed = {} if trial.contestant is None else trial.contestant.at(places, as_text=True)
    varied = dict(trial.plan.grid.axes)
    fixed = {key: value for key, value in trial.plan.settings if key not in placed}
    fixed |= placed
    if not varied:  # a sweep varies something
        key = next(iter(placed or fixed))
        varied = {key: (fixed.pop(key),)}
    words = ["thinpipe", "sweep", trial.plan.scenario.name]
    for key, text in texts(fixed):
        words += ["--set", f"{key}={text}"]
    for key, values in varied.items():
        words += ["--vary", f"{key}={','.join(as_text(key, value) for value in values)}"]
    words += ["--seeds", ",".join(map(str, trial.plan.grid.seeds))]
    measures = [m for m in trial.criterion.measures if trial.without in ((), m.without)]
    names = [name for measure in measures for name in (measure.of, measure.per) if name]
    for name in dict.fromkeys(name if name in run else of_all(name) for name in names):
        words += ["--measure", name]
    of = trial.contestant.name if trial.contestant is not None else ""
    if trial.without:
        without = ", ".join(f"{key}={text}" for key, text in texts(dict(trial.without)))
        of = f"{of} without the others ({without})".strip()
    return Command(trial.pipe.scenario.name, of, shlex.join([*words, "--out", "runs.parquet"]))


def as_json(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return findings as what JSON takes; figures are in the units that are named."""
    return [
        {
            "section": each.criterion.section,
            "criterion": each.criterion.title,
            "file": each.criterion.file,
            "asks": each.criterion.asks,
            "read": each.criterion.read,
            "reason": each.criterion.reason or None,
            "runs": each.runs,
            "lines": [_line_as_json(line) for line in each.lines],
            "commands": [
                {"scenario": one.pipe, "of": one.of, "command": one.text} for one in each.commands
            ],
        }
        for each in found
    ]


def _line_as_json(line: Line) -> dict[str, Any]:
    return {
        "scenario": line.pipe,
        "varied": dict(line.varied),
        "measure": line.measure.name,
        "of": line.measure.of,
        "per": line.measure.per or None,
        "unit": line.measure.unit or None,
        "better": line.measure.better,
        "harm_without": dict(texts(dict(line.measure.without))) or None,
        "results": {name: _result(line.estimate(name), line.values[name]) for name in line.values},
    }


def _result(estimate: Estimate | None, values: Values) -> dict[str, Any]:
    return {
        "mean": None if estimate is None else estimate.mean,
        "low": None if estimate is None else estimate.low,
        "high": None if estimate is None else estimate.high,
        "values": list(values),
    }
