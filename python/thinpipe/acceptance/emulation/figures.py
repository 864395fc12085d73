"""Round-trip times over time, emulated and simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.acceptance.emulation.collect import compared
from thinpipe.acceptance.emulation.experiments import CONTROLS, MSS, Setup
from thinpipe.plot.style import COLORS, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes

NAMES: Final = {"reno": "Reno", "cubic": "CUBIC"}
SIZE_INCHES: Final = (8.0, 5.2)


def overlay(outcomes: Outcomes, setup: Setup) -> Figure:
    """Draw round-trip times and congestion windows of a set-up, one column per sender."""
    import matplotlib.pyplot as plt

    with style():
        figure, axes = plt.subplots(
            2, len(CONTROLS), figsize=SIZE_INCHES, sharex=True, sharey="row", squeeze=False
        )
        for column, control in enumerate(CONTROLS):
            each = compared(outcomes[setup.point(control, setup.seeds[0])])
            above, below = axes[:, column]
            for transfer, color, marker, label in (
                (each.simulated, COLORS["data"], ".", "simulated"),
                (each.emulated, COLORS["retransmission"], "+", "emulated, the kernel's TCP"),
            ):
                above.plot(
                    *zip(*transfer.rtt, strict=True),
                    linestyle="none",
                    marker=marker,
                    markersize=4,
                    color=color,
                    label=label,
                )
                times, windows = zip(*transfer.cwnd, strict=True)
                # Beyond the receive window cwnd has no effect, and the two grow differently.
                capped = [min(window, each.carried.window_bytes / MSS) for window in windows]
                below.step(
                    [*times, transfer.duration_s], [*capped, capped[-1]], where="post", color=color
                )
            above.set_title(NAMES[control])
            below.set_xlabel("time since the SYN (s)")
        axes[0, 0].set_ylabel("round-trip time (s)")
        axes[1, 0].set_ylabel("congestion window,\nat most the receive\nwindow (segments)")
        for axis in axes.flat:
            axis.set_ylim(bottom=0)
            axis.set_xlim(left=0)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2)
        plt.close(figure)
        return figure
