"""Cells of the run in focus: RRC states of mobiles, codes, and the load of shared channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.lab.run_inputs import network, radio_mobiles, values
from thinpipe.plot.cells import STATES, load, stays
from thinpipe.plot.codes import MOBILES, REFUSALS, allocations
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HEIGHT: Final = 0.84
"""Of a mobile's bar, as a share of its row."""

SHAPES: Final = {"no-code": "cross", "no-power": "triangle", "no-uplink": "plus"}
"""Of refusals, by reason."""

CHANNELS: Final = {"down": ("FACH", "data"), "up": ("RACH", "retransmission")}
"""The shared channel of each direction, and its tone."""


def mobiles(sight: Sight) -> list[str]:
    """Return the names of mobiles from the bottom row to the top: the first is at the top."""
    return list(radio_mobiles(sight.run))[::-1]


def states(sight: Sight) -> list[Layer]:
    """Return a bar for each stay of a mobile in a state, and marks at handovers."""
    names, rrc = list(radio_mobiles(sight.run)), sight.run.rrc
    duration_s = sight.run.result.duration_s
    seen = set(rrc["ue"].unique())
    initial = values(sight.run)["radio.rrc.initial"]
    spans = [
        *stays(rrc, len(names), duration_s).iter_rows(),
        *((ue, initial, 0.0, duration_s) for ue in range(len(names)) if ue not in seen),
    ]
    drawn = []
    for state in STATES:
        some = [
            (ue, max(start_s, sight.start_s), min(end_s, sight.end_s), start_s, end_s)
            for ue, its, start_s, end_s in spans
            if its == state and end_s > sight.start_s and start_s < sight.end_s
        ]
        if some:
            rows = np.array([len(names) - 1 - ue for ue, *_ in some], dtype=np.float64)
            drawn.append(
                sight.layer(
                    "bars",
                    state,
                    x0=np.array([start_s for _, start_s, *_ in some]),
                    x1=np.array([end_s for _, _, end_s, *_ in some]),
                    y0=rows - HEIGHT / 2,
                    y1=rows + HEIGHT / 2,
                    tone=state,
                    tips=[
                        f"{names[ue]}: {state} from {start_s:.6g} s to {end_s:.6g} s"
                        for ue, _, _, start_s, end_s in some
                    ],
                )
            )
    return [*drawn, *handovers(sight, names)]


def handovers(sight: Sight, names: list[str]) -> list[Layer]:
    """Return a mark at each handover of a mobile, by its kind; none if none moves."""
    try:
        rows = sight.run.handovers
    except NoTableError:
        return []
    cells = cell_names(sight)
    drawn: list[Layer] = []
    kinds = rows["event"].cast(str).unique(maintain_order=True).to_list()
    for number, kind in enumerate(kinds):
        some = rows.filter(rows["event"].cast(str) == kind)
        at = [*some.select("time_s", "ue", "cell").iter_rows()]
        drawn += sight.marks(
            f"Handover: {kind}",
            [time_s for time_s, *_ in at],
            [len(names) - 1 - ue for _, ue, _ in at],
            shape=("diamond", "triangle", "square", "cross", "plus")[number % 5],
            tone="ink",
            tips=[f"{names[ue]}: {kind}, cell {cells[cell]}, {t:.6g} s" for t, ue, cell in at],
        )
    return drawn


def cell_names(sight: Sight) -> list[str]:
    """Return the names of cells: those of base stations, or their numbers."""
    cell = sight.run.cell
    count = 1 if cell is None else cell.cells
    named = [station.name for station in network(sight.run).stations]
    return named if len(named) == count else [str(number) for number in range(count)]


def codes(sight: Sight) -> list[Layer]:
    """Return a strip for each use of a code, as high as its share of the cell's tree.

    Cells are above each other: that of cell n from n to n + 1. Refused requests are above it.
    """
    names, cells = list(radio_mobiles(sight.run)), cell_names(sight)
    drawn: list[Layer] = []
    for cell in range(len(cells)):
        drawn += _strips(sight, cell, names, several=len(cells) > 1)
    for cell, name in enumerate(cells):
        drawn += _refusals(sight, cell, f", cell {name}" if len(cells) > 1 else "", names)
    if len(cells) > 1:
        drawn.append(
            sight.layer(
                "words",
                x=np.full(len(cells), sight.start_s),
                y=np.arange(len(cells)) + 0.94,
                text=[f" cell {name}" for name in cells],
                tone="faint",
            )
        )
    return drawn


def _strips(sight: Sight, cell: int, names: list[str], *, several: bool) -> list[Layer]:
    had = allocations(sight.run.codes, cell, sight.run.result.duration_s).filter(
        pl.col("end_s") > sight.start_s, pl.col("start_s") < sight.end_s
    )
    few = len(names) <= len(MOBILES)
    drawn = []
    for hue in sorted({ue % len(MOBILES) for ue in had["ue"]}):
        some = had.filter(pl.col("ue") % len(MOBILES) == hue)
        sf, number, ue = (some[column].to_numpy() for column in ("sf", "code", "ue"))
        start_s, end_s = some["start_s"].to_numpy(), some["end_s"].to_numpy()
        drawn.append(
            sight.layer(
                "bars",
                names[hue] if few and not (several and cell) else "",
                x0=np.maximum(start_s, sight.start_s),
                x1=np.minimum(end_s, sight.end_s),
                y0=cell + number / sf,
                y1=cell + (number + 0.96) / sf,
                hue=hue,
                tips=[
                    f"{names[who]}: C({factor}, {code}), {since:.6g} s to {until:.6g} s"
                    for who, factor, code, since, until in zip(
                        *(each.tolist() for each in (ue, sf, number, start_s, end_s)), strict=True
                    )
                ],
            )
        )
    return drawn


def _refusals(sight: Sight, cell: int, where: str, names: list[str]) -> list[Layer]:
    rows = sight.run.codes.filter(pl.col("cell") == cell)
    drawn: list[Layer] = []
    for event, (_, label, _) in REFUSALS.items():
        asked = rows.filter(rows["event"].cast(str) == event)
        drawn += sight.marks(
            f"{label}{where}",
            asked["time_s"].to_numpy(),
            np.full(len(asked), cell + 1.02),
            shape=SHAPES[event],
            tone="drop",
            tips=[f"{names[ue]}: {label.lower()}" for ue in asked["ue"]],
        )
    return drawn


def shared(sight: Sight) -> list[Layer]:
    """Return which share of each cell's FACH and RACH is used in each second."""
    cells = cell_names(sight)
    drawn: list[Layer] = []
    for cell, name in enumerate(cells):
        for direction, (channel, tone) in CHANNELS.items():
            seconds, used = load(sight.shown.view, sight.run.common, cell, direction)
            if not used.any():
                continue
            label = f"{channel} of cell {name}" if len(cells) > 1 else channel
            drawn += sight.steps(label, seconds[:-1], used, tone=tone, dotted=cell > 0)
    return drawn


RRC: Final = PanelKind(
    "rrc", "RRC states", "", states, runs="focus", rows=mobiles, there=has("rrc")
)
CODES: Final = PanelKind(
    "codes", "Codes in use", "share of the tree", codes, runs="focus", there=has("codes")
)
SHARED: Final = PanelKind(
    "shared",
    "Shared channels",
    "share of the blocks",
    shared,
    runs="focus",
    usual=False,
    there=has("common"),
)
