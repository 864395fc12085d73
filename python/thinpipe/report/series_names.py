"""The names of a figure's series: their labels, or that of another with the same look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend


class SeriesNames:
    """The names of series in all panels of a figure; of a text it is the text.

    Often a figure has one legend, whose labels are at the series of one panel, and a band has the
    colour of its mean. So a series without a label has that of the only label with its look, or
    else with its colour.
    """

    def __init__(self, panels: Sequence[Axes], legends: Sequence[Legend]) -> None:
        self._by_look: defaultdict[Hashable, set[str]] = defaultdict(set)
        for artist, label in _labelled(panels, legends):
            for look in _looks(artist):
                self._by_look[look].add(label)

    def of(self, artist: Any) -> str:  # noqa: ANN401 - artists and containers
        """Return the name of a series; empty if it has none."""
        from matplotlib.text import Text

        own = _one_line(artist.get_text()) if isinstance(artist, Text) else _label(artist)
        if own:
            return own
        known = (self._by_look[look] for look in _looks(artist) if look in self._by_look)
        return next((next(iter(labels)) for labels in known if len(labels) == 1), "")


def _labelled(panels: Sequence[Axes], legends: Sequence[Legend]) -> Iterator[tuple[Any, str]]:
    for ax in panels:
        for artist in (*ax.containers, *ax.lines, *ax.collections, *ax.patches):
            if _label(artist):
                yield artist, _label(artist)
    of_panels = [legend for ax in panels if (legend := ax.get_legend()) is not None]
    for legend in (*legends, *of_panels):
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if handle is not None:
                yield handle, _one_line(text.get_text())


def _label(artist: Any) -> str:  # noqa: ANN401
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else _one_line(label)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _looks(artist: Any) -> list[Hashable]:  # noqa: ANN401
    """Return the looks of an artist, the most specific first: last its colour alone."""
    from matplotlib.colors import to_hex
    from matplotlib.container import BarContainer, ErrorbarContainer
    from matplotlib.lines import Line2D

    if isinstance(artist, ErrorbarContainer):
        line, _, bars = artist.lines
        return _looks(next(filter(None, (line, *bars))))  # without a line it is None
    if isinstance(artist, BarContainer):
        return _looks(artist.patches[0]) if artist.patches else []
    if isinstance(artist, Line2D):
        color = to_hex(artist.get_color())
        return [(color, artist.get_marker(), artist.get_linestyle()), color]
    if not hasattr(artist, "get_facecolor"):
        return []
    faces = artist.get_facecolor()
    face = faces if isinstance(faces, tuple) else next(iter(faces), None)
    edges = artist.get_edgecolor()
    edge = edges if isinstance(edges, tuple) else next(iter(edges), None)
    shown = face if face is not None and face[3] > 0 else edge
    return [] if shown is None else [to_hex(shown[:3])]
