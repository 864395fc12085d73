"""The files of figures beside the report: a picture and its data."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.report.drawn import figure_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Paper, Reproduction, Section

PX_PER_INCH: Final = 96
"""Of CSS."""

WIDTH_PX: Final = 1080
"""The greatest width of a figure in the page; wider ones are shown smaller."""


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure in the page: its files, its size there, and the command that makes it."""

    image: str
    data: str
    width_px: int
    height_px: int
    command: str

    @classmethod
    def of(cls, paper: Paper, section: Section) -> PageFigure | None:
        """Return the figure of a section; ``None`` if it has none."""
        if section.figure is None:
            return None
        command = f"thinpipe reproduce {paper.id}/{section.item.id}"
        return cls.named(f"{paper.id}-{section.item.id}", section.figure, command)

    @classmethod
    def named(cls, name: str, figure: Figure, command: str) -> PageFigure:
        """Return a figure whose files have this name."""
        width, height = (round(PX_PER_INCH * inches) for inches in figure.get_size_inches())
        return cls(f"{name}.png", f"{name}.csv", width, height, command)


def figure_files(made: Reproduction) -> dict[str, bytes]:
    """Return by name the pictures of a paper, and their data."""
    files: dict[str, bytes] = {}
    for section in made.sections:
        shown = PageFigure.of(made.paper, section)
        if shown is not None and section.figure is not None:
            files[shown.image] = png(section.figure)
            files[shown.data] = figure_csv(section.figure, shown.command)
    return files


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG file."""
    from thinpipe.plot.style import style

    content = io.BytesIO()
    with style():
        figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()
