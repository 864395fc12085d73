"""The window of each estimator over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thinpipe.papers.chakravorty2003.drawing import GREY, HUES, one_legend, panels, styled
from thinpipe.papers.chakravorty2003.measuring import box_window
from thinpipe.papers.chakravorty2003.open_ends import rate_steps
from thinpipe.papers.chakravorty2003.setup import KB
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes


@styled
def windows(outcomes: Outcomes) -> Figure:
    """Window and round-trip times while the channel's rate steps."""
    figure, axes = panels(2, 1, 9.0, 6.0)
    for number, estimator in enumerate(rate_steps.ESTIMATORS):
        run = outcomes[rate_steps.runs(estimator)[0]]
        window = box_window(run)
        reached = f"{short(rate_steps.goodput(outcomes, estimator), 3)} %"
        # The first curve is wide, as the others cover it in places.
        look: dict[str, Any] = {"color": HUES[number], "linewidth": 1 if number else 2.5}
        look["label"] = f"{rate_steps.NAMES[estimator]} (goodput {reached})"
        axes[0].step(window.time_s, window.value / KB, where="post", **look)
        table = run.tables["middlebox_rtt"]
        axes[1].plot(table["time_s"].to_numpy(), table["rtt_s"].to_numpy(), **look)
    axes[0].set(ylabel="Window (KB)", ylim=(0, 1.15 * axes[0].get_ylim()[1]))
    axes[1].set(xlabel="Time (s)", ylabel="RTT (s)", ylim=(0, None))
    for at_s, after in ((0, rate_steps.WIDE), *rate_steps.STEPS):
        for ax in axes:
            ax.axvline(at_s, color=GREY, linewidth=0.8, linestyle=":")
        axes[0].annotate(f"{after} kbit/s", (at_s + 1, axes[0].get_ylim()[1] * 0.94), fontsize=8)
    one_legend(figure, axes[:1], columns=2)
    return figure
