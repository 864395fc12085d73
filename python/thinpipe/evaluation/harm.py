"""How much worse off one flow is because of others.

Ware, Mukerjee, Seshan and Sherry: "Beyond Jain's Fairness Index: Setting the Bar For The Deployment
of Congestion Control Algorithms", HotNets 2019.
"""

from __future__ import annotations

from typing import Literal

Better = Literal["more", "less"]


def harm(alone: float, beside: float, better: Better) -> float | None:
    """Return the harm to a flow: 0 if it lost nothing, 1 if it lost everything.

    Below zero it is better off than alone. ``None`` if what it is measured against is zero.

    Parameters
    ----------
    alone, beside
        What it had without the others, and with them.
    better
        Whether more of it is better, as of goodput, or less, as of a delay.

    Examples
    --------
    >>> harm(10.0, 4.0, "more"), harm(0.02, 0.08, "less")
    (0.6, 0.75)
    """
    lost, of = (alone - beside, alone) if better == "more" else (beside - alone, beside)
    return lost / of if of else None
