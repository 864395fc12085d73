"""What a network of cells did, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinpipe.record import Record


@dataclass(frozen=True, slots=True)
class StateShares(Record):
    """Shares of time by RRC state."""

    idle: float
    """No connection."""
    cell_dch: float
    """Dedicated channels."""
    cell_fach: float
    """Shared channels."""
    cell_pch: float
    """Paged in the cell."""
    ura_pch: float
    """Paged in the registration area."""


@dataclass(frozen=True, slots=True)
class Blocked(Record):
    """Requests that failed, by reason."""

    code: int
    """No code was free."""
    power: int
    """The downlink's power did not reach."""
    uplink: int
    """The uplink had its full load."""


@dataclass(frozen=True, slots=True)
class CodesInUse(Record):
    """Codes over time."""

    mean: float
    """Weighted by time."""
    max: int
    """The most at once."""
    occupancy: float
    """Share of the code trees that they take, weighted by time; the common channels' apart."""


@dataclass(frozen=True, slots=True)
class Handovers(Record):
    """Changes of sets of cells, by kind."""

    soft: int
    """A cell of another ``NodeB`` was added."""
    softer: int
    """Another cell of the same ``NodeB`` was added."""
    hard: int
    """One cell took the place of another."""
    failed: int
    """Radio links failed."""


@dataclass(frozen=True, slots=True)
class SharedBlocks(Record):
    """Blocks on the shared channels of all cells."""

    fach: int
    """Downlink."""
    rach: int
    """Uplink."""


@dataclass(frozen=True, slots=True)
class Cell(Record):
    """The numbers of a network of cells."""

    ues: int
    """Mobiles."""
    cells: int
    """Cells, each with a code tree of its own."""
    time_share: StateShares
    """Share of the time that mobiles were in each state, all together."""
    state_changes: int
    """Changes of RRC states."""
    blocked: Blocked
    """Requests for codes that failed, each time that one was refused."""
    common_codes: Sequence[tuple[int, int]]
    """Spreading factor and number of the codes that the common channels of a cell always have."""
    codes_in_use: CodesInUse
    """Codes allocated to mobiles, of all cells together."""
    handovers: Handovers
    """Changes of active sets."""
    shared: SharedBlocks
    """Blocks on the shared channels."""
