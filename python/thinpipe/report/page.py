"""The report of reproductions: one self-contained HTML file."""

from __future__ import annotations

import io
import platform
import sys
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from thinpipe.report import counts
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from thinpipe.papers.facts import Finding
    from thinpipe.papers.paper import Reproduction

NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
SHOWN_VERSIONS = ("thinpipe", "numpy", "polars", "matplotlib")


def page(reproductions: Sequence[Reproduction]) -> str:
    """Return the report as HTML."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"svg": svg, "short": short, "ours": ours}
    template = environment.from_string(
        (files(__package__) / "report.html.j2").read_text(encoding="utf-8")
    )
    return template.render(
        reproductions=reproductions,
        counts=counts,
        versions={name: version(name) for name in SHOWN_VERSIONS},
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        command=" ".join(["thinpipe", *sys.argv[1:]]),
    )


def svg(figure: Figure) -> Markup:
    """Return a figure as an SVG element."""
    from thinpipe.plot.style import style

    text = io.StringIO()
    with style():
        figure.savefig(text, format="svg", metadata=NO_METADATA)
    return Markup(text.getvalue()[text.getvalue().index("<svg") :])


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG file."""
    from thinpipe.plot.style import style

    content = io.BytesIO()
    with style():
        figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def ours(finding: Finding) -> str:
    """Return our measurement: the mean, with the range over runs in brackets."""
    spread = finding.spread()
    return finding.ours() + (f" ({spread})" if spread else "")
