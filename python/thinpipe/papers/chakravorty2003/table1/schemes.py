"""The schemes of Table I, as settings of one and the same download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.setup import box, clamp

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.setup import Settings


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to help TCP over a radio link.

    Attributes
    ----------
    name, settings
        What it is called, and what it is here.
    column
        Its column in the paper's table; ``None`` if it has none.
    """

    name: str
    settings: Settings
    column: str | None = None

    @property
    def changes_hosts(self) -> bool:
        """Whether it changes TCP in an end system."""
        return any(key.startswith("tcp.") for key, _ in self.settings)


SPLIT: Final = "M-TCP & I-TCP"
"""The paper's one column for both."""

SCHEMES: Final = (
    Scheme("Snoop", box("snoop"), "SNOOP"),
    Scheme("M-TCP", box("m-tcp"), SPLIT),
    Scheme("I-TCP", box("i-tcp"), SPLIT),
    Scheme("Freeze-TCP", (("tcp.freeze.warning", "2 s"),), "Freeze-TCP"),
    Scheme("FDA-like", box("fda-like"), "FDA"),
    Scheme("WTCP", (("tcp.variant", "wtcp"), ("tcp.timestamps", True)), "WTCP"),
    Scheme("W-TCP", box("w-tcp"), "W-TCP"),
    Scheme("Westwood+", (("tcp.variant", "westwood"),), "TCP Westwood"),
    Scheme("atcp", clamp(10), "Our approach"),
    Scheme("delayed dupacks", box("delayed-dupacks")),
    Scheme("split, CUBIC", box("split")),
    Scheme("no box, drop-tail", ()),
    Scheme("no box, CoDel", (("queue.kind", "codel"),)),
    Scheme("no box, fair queue", (("queue.kind", "fair"),)),
)

NO_BOX: Final = next(scheme for scheme in SCHEMES if scheme.settings == ())

CRITERIA: Final = (
    "no change in end systems",
    "no excess queue",
    "faster start",
    "fair to all flows",
    "block errors",
    "stall of 5 s",
    "outage of 30 s",
    "end-to-end semantics",
)

TICKS: Final = {
    "SNOOP": (True, False, False, False, True, False, False, True),
    SPLIT: (True, False, False, False, True, True, True, False),
    "Freeze-TCP": (False, False, False, False, True, False, True, True),
    "FDA": (True, True, False, False, False, False, False, True),
    "WTCP": (False, True, True, False, True, True, False, True),
    "W-TCP": (True, False, False, False, True, True, True, True),
    "TCP Westwood": (False, True, False, False, True, True, False, True),
    "Our approach": (True, True, True, True, True, True, True, False),
}
"""The paper's Table I by column. Its first row asks the reverse: whether a change is required."""


def paper_tick(scheme: Scheme, criterion: int) -> bool | None:
    """Return the paper's tick, ``None`` where its table has no such column."""
    return None if scheme.column is None else TICKS[scheme.column][criterion]
