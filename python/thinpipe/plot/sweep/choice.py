"""What a picture of many runs shows: its kind, its axes, and what distinguishes its marks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.arguments import check
from thinpipe.plot.kinds import OF_MANY
from thinpipe.suggestion import either, suggestion
from thinpipe.sweep.table import SEED
from thinpipe.sweep.words import DELAY

if TYPE_CHECKING:
    from thinpipe.sweep.study import Study

KINDS: Final = tuple(OF_MANY)
"""Kinds of pictures: the methods of `SweepPlots`."""

GOODPUT: Final = "goodput_bps"

POOLING: Final = ("cdf", "box")
"""Kinds that show each run, and so take runs with different parameters together if asked to."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A kind, the column on the x-axis if it is chosen, the metric, and the keys of lines.

    Attributes
    ----------
    x
        A parameter or the seed; of a scatter plot a metric; ``None`` of a distribution.
    by
        The parameters whose combinations have lines, colours or marks of their own.
    log
        The axes that are logarithmic: ``x``, ``y`` or ``xy``.
    """

    kind: str
    x: str | None
    y: str
    by: tuple[str, ...]
    log: str = ""

    @classmethod
    def of(
        cls,
        study: Study,
        kind: str = "lines",
        *,
        x: str | None = None,
        y: str = GOODPUT,
        by: Sequence[str] | None = None,
        log: str = "",
    ) -> Choice:
        """Choose what is not given.

        On the x-axis is the first varied parameter, preferably a number; of a scatter plot the
        95th percentile of the one-way delay. The other varied parameters distinguish lines.

        Raises
        ------
        ValueError
            If there is no such kind, metric or parameter, runs with different parameters would be
            averaged, or a logarithmic axis has no place for what is on it.
        """
        check(x=x, y=y, by=by, log=log)
        _check("kind", kind, KINDS, f"must be {either(KINDS)}", "")
        varied = [key for key in study.varied if study.frame[key].n_unique() > 1]
        if x is None:
            x = _on_axis(study, kind, varied)
        elif kind == "cdf":
            raise ValueError(f"x={x}: a distribution has its metric, y, on this axis")
        keys = [*study.varied, SEED]
        is_key = ("not varied in this sweep", f"it varies {', '.join(keys)}")
        if kind == "scatter":
            study.check_metric("x", str(x))
        elif x is not None:
            _check("x", x, keys, *is_key)
        for each in by or ():
            _check("by", each, keys, *is_key)
        study.check_metric("y", y)
        others = [key for key in varied if key != x]
        lines = tuple(others if by is None else by)
        mixed = [key for key in others if key not in lines]
        if mixed and kind not in POOLING:
            raise ValueError(f"by: {mixed[0]} varies as well; runs with different ones do not mix")
        chosen = cls(kind, x, y, tuple(key for key in dict.fromkeys(lines) if key != x), log)
        chosen.check_log(study)
        return chosen

    def check_log(self, study: Study) -> None:
        """Raise `ValueError` unless all that a logarithmic axis has on it is above zero."""
        on_axes = {"x": self.x, "y": self.y}
        if self.kind == "cdf":
            on_axes = {"x": self.y}
        elif self.kind == "box":
            on_axes = {"y": self.y}
        given = f"log={self.log}"
        if self.log not in ("", *on_axes, "".join(on_axes)):
            raise ValueError(f"{given}: must be {either([*on_axes, 'xy'][: 2 * len(on_axes) - 1])}")
        for name in (str(on_axes[axis]) for axis in self.log):
            values = study.complete[name].drop_nulls()
            if not values.dtype.is_numeric():
                raise ValueError(f"{given}: {name} is no number")
            least = min(map(float, values), default=1.0)
            if math.inf in values:
                raise ValueError(f"{given}: {name} is unlimited in a run, which is no number")
            if least <= 0:
                raise ValueError(f"{given}: {name} is {least:g} in a run, and must be above zero")

    def pooled(self, study: Study) -> list[str]:
        """Return the varied parameters that do not distinguish lines."""
        varied = [key for key in study.varied if study.frame[key].n_unique() > 1]
        return [key for key in varied if key not in (self.x, *self.by)]


def _on_axis(study: Study, kind: str, varied: Sequence[str]) -> str | None:
    """Return the column on the x-axis that a kind has by default."""
    if kind == "scatter":
        return DELAY
    if kind == "cdf":
        return None
    numbers = [key for key in varied if study.frame[key].dtype.is_numeric()]
    return next(iter([*numbers, *varied]), SEED if kind == "lines" else None)


def _check(name: str, given: str, known: Iterable[str], reason: str, valid: str) -> None:
    names = list(known)
    if given not in names:
        raise ValueError(f"{name}={given}: {reason}{suggestion(given, names, valid)}")
