"""The pictures of many runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.arguments import check
from thinpipe.plot.curves import figure_of
from thinpipe.plot.style import style
from thinpipe.plot.sweep.boxes import draw_boxes
from thinpipe.plot.sweep.cdf import draw_cdf
from thinpipe.plot.sweep.choice import GOODPUT, Choice
from thinpipe.plot.sweep.lines import draw_lines
from thinpipe.plot.sweep.scatter import draw_scatter
from thinpipe.sweep.interval import CONFIDENCE
from thinpipe.sweep.table import SEED
from thinpipe.sweep.words import DELAY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from thinpipe.sweep.study import Study

_DRAW: Final = {
    "lines": draw_lines,
    "scatter": draw_scatter,
    "cdf": draw_cdf,
    "box": draw_boxes,
}


class SweepPlots:
    """Pictures of many runs. Each draws into `ax`, or into a new figure, and returns the figure.

    `y` is a metric, and `by` are the parameters that distinguish lines, colours or marks; by
    default all that vary. They raise `ValueError` if there is no such metric or parameter, or runs
    with different parameters would be averaged. `log` are the axes that are logarithmic: ``"x"``,
    ``"y"`` or ``"xy"``.
    """

    def __init__(self, study: Study) -> None:
        self._study = study

    def lines(
        self,
        ax: Axes | None = None,
        *,
        x: str | None = None,
        y: str = GOODPUT,
        by: Sequence[str] | None = None,
        log: str = "",
    ) -> Figure:
        """Draw means over a varied parameter `x`, with 95 % confidence intervals."""
        return self._draw(ax, Choice.of(self._study, "lines", x=x, y=y, by=by, log=log))

    def scatter(
        self,
        ax: Axes | None = None,
        *,
        x: str = DELAY,
        y: str = GOODPUT,
        by: Sequence[str] | None = None,
        log: str = "",
    ) -> Figure:
        """Draw a metric over another, by default throughput over delay, with a mark a run.

        Larger marks are means, ellipses their 95 % confidence intervals. As in Pantheon, delays
        grow to the left: the better, the further up and right.
        """
        return self._draw(ax, Choice.of(self._study, "scatter", x=x, y=y, by=by, log=log))

    def cdf(
        self,
        ax: Axes | None = None,
        *,
        y: str = GOODPUT,
        by: Sequence[str] | None = None,
        log: str = "",
    ) -> Figure:
        """Draw the distribution of a metric over the runs of each combination."""
        return self._draw(ax, Choice.of(self._study, "cdf", y=y, by=by, log=log))

    def box(
        self,
        ax: Axes | None = None,
        *,
        x: str | None = None,
        y: str = GOODPUT,
        by: Sequence[str] | None = None,
        log: str = "",
    ) -> Figure:
        """Draw minimum, quartiles and maximum of a metric over the runs of each combination."""
        return self._draw(ax, Choice.of(self._study, "box", x=x, y=y, by=by, log=log))

    def _draw(self, ax: Axes | None, chosen: Choice) -> Figure:
        import matplotlib.pyplot as plt

        check(ax=ax)
        with style():
            ax = ax or plt.subplots()[1]
            draw(self._study, ax, chosen)
        return figure_of(ax)


def draw(study: Study, ax: Axes, chosen: Choice) -> None:
    """Draw what is chosen into axes."""
    for axis in chosen.log:
        ax.set(**{f"{axis}scale": "log"})
    _DRAW[chosen.kind](study, ax, chosen)
    for axis in chosen.log:
        _label_decades(ax.xaxis if axis == "x" else ax.yaxis)


def _label_decades(axis: Axis) -> None:
    """Label a logarithmic axis at one, two and five of each decade, with plain numbers."""
    from matplotlib.ticker import FuncFormatter

    drawn = axis.get_major_formatter()
    plain = FuncFormatter(lambda at, _: f"{at:.12g}")
    text = drawn if isinstance(drawn, FuncFormatter) else plain
    axis.set_major_formatter(text)
    axis.set_minor_formatter(lambda at, _: text(at) if f"{at:e}"[0] in "25" else "")


def heading(study: Study, chosen: Choice) -> str:
    """Return the heading of a picture: whose runs, and what its marks mean."""
    interval = f"{100 * CONFIDENCE:g} % confidence interval"
    seeds = study.frame[SEED].n_unique()
    single = seeds == 1 or SEED in (chosen.x, *chosen.by)
    over = " and ".join([*([] if single else [f"{seeds} seeds"]), *chosen.pooled(study)])
    if not over:
        text = "one run a point, no intervals"
    elif chosen.kind == "lines":
        text = f"mean and {interval} over {over}"
    elif chosen.kind == "scatter":
        text = f"small marks are runs, large ones means, ellipses {interval}s over {over}"
    elif chosen.kind == "cdf":
        text = f"distribution over {over}"
    else:
        text = f"minimum, quartiles and maximum over {over}"
    return f"{study.scenario}: {text}"
