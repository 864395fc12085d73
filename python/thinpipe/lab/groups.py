"""Groups of flows that differ, as panels of a single run show them: a colour for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinpipe.plot.curves import COLORED, distinct_colors
from thinpipe.plot.groups import by_group
from thinpipe.plot.shown import Shown

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.lab.panel import Sight
    from thinpipe.result import Flow


@dataclass(frozen=True, slots=True)
class Group:
    """A group of flows; `color` is that of pictures on white paper."""

    name: str
    color: str
    flows: tuple[Flow, ...]

    @property
    def ids(self) -> list[int]:
        """The numbers of its flows."""
        return [flow.id for flow in self.flows]

    @property
    def is_udp(self) -> bool:
        """Whether its flows are of datagrams."""
        return self.flows[0].datagrams is not None

    def rows(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of its flows in a table."""
        return table.filter(table["flow"].is_in(self.ids))

    def shown(self, sight: Sight) -> Iterator[Shown]:
        """Yield each of its flows in the time range, as pictures take it."""
        view = sight.shown.view
        for flow in self.flows:
            yield Shown(sight.run, flow, view)


def groups(sight: Sight) -> list[Group]:
    """Return the groups that a panel shows: none where a flow is chosen, or runs are compared.

    Of algorithms that all differ each has its own colour, as in pictures; more groups than there
    are colours are not told apart.
    """
    if sight.flow is not None or sight.several or sight.ghost:
        return []
    if not 1 < len(sight.run.result.groups) <= COLORED:
        return []
    found = by_group(sight.run)
    colors = distinct_colors([flows[0].variant for flows in found.values()])
    return [
        Group(name, color, tuple(flows))
        for (name, flows), color in zip(found.items(), colors, strict=True)
    ]
