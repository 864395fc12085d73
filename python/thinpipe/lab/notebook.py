"""The lab's pictures of finished runs, as a page of its own for notebooks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from thinpipe.arguments import check, shown
from thinpipe.lab import PAGE
from thinpipe.run import Run
from thinpipe.suggestion import suggestion

if TYPE_CHECKING:
    from thinpipe.recording import Recording, SavedRun

COLUMNS: Final = 3_000
"""How many columns a curve with more points has: enough to look at a part of it."""

MOST_RUNS: Final = 4
"""As many as there are colours."""

TALL: Final = 290
"""Pixels that a row of two panels takes, with its legend."""
HEAD: Final = 100

DOCUMENT: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
main {{ display: block; padding: 8px; }}
h1 {{ margin-bottom: 6px; }}
#theme {{ float: right; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<button id="theme" type="button" aria-label="Switch between dark and light">◐</button>
<div id="transport" role="toolbar" aria-label="Time"></div>
<div id="panels"></div>
</main>
<script type="application/json" id="data">{data}</script>
<script>
{script}
</script>
</body>
</html>
"""


class LabView:
    """Panels of the lab with the data of finished runs; a notebook shows them.

    Attributes
    ----------
    document
        The page as HTML, complete in itself: it loads nothing.
    """

    def __init__(self, document: str, title: str, height: int) -> None:
        self.document: Final = document
        self._title: Final = title
        self._height: Final = height

    def __repr__(self) -> str:
        return f"<LabView {self._title}>"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self._height}px; border: 0"
        return (
            f'<iframe title="{escape(self._title)}" sandbox="allow-scripts" style="{style}" '
            f'srcdoc="{escape(self.document)}"></iframe>'
        )


def lab(
    *runs: Run | SavedRun,
    panels: Sequence[str] | None = None,
    flow: int | None = None,
    start_s: float = 0.0,
    end_s: float | None = None,
) -> LabView:
    """Return the lab's pictures of finished runs, side by side, for a notebook.

    Pointing, brushing, playing and stepping work as in ``thinpipe lab``, on the data within.
    Nothing runs anew. Panels of queues and packets need runs with ``trace=True``.

    Parameters
    ----------
    runs
        One to four, as `run` and `load` return them.
    panels
        Names of panels, as the lab has them in its address; the usual ones by default.
    flow
        The flow of pictures that show but one; ``None`` shows each group where groups differ, or
        else the first flow.
    start_s, end_s
        The part of the time to show; ``None`` is the end. A part has more detail.

    Raises
    ------
    TypeError
        If an argument has another type.
    ValueError
        If there is no such panel, flow or time, or runs are none or too many.

    Examples
    --------
    >>> from thinpipe import run
    >>> reno = run("plain-384", duration="5 s", trace=True)
    >>> lab(reno)
    <LabView plain-384>
    """
    _check(runs, panels, flow, start_s, end_s)
    duration_s = max(run.result.duration_s for run in runs)
    end_s = duration_s if end_s is None else min(end_s, duration_s)
    if not 0 <= start_s < end_s:
        raise ValueError(f"start_s: must be from 0 to before {end_s:g}, not {start_s:g}")
    from thinpipe.lab.bundle import bundle

    names = _names(runs)
    built = _panels(runs, names, panels, flow, (start_s, end_s))
    data = {
        "span": [start_s, end_s],
        "runs": [
            {"number": number, "name": name, "ghost": False} for number, name in enumerate(names)
        ],
        "panels": built,
    }
    title = ", ".join(names) if len(runs) > 1 else runs[0].result.scenario
    document = DOCUMENT.format(
        title=escape(title),
        style=(PAGE / "lab.css").read_text(encoding="utf-8"),
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        script=bundle("notebook").replace("</", "<\\/"),
    )
    wide = sum(panel["wide"] for panel in built)
    return LabView(document, title, HEAD + TALL * max(1, wide + -(-(len(built) - wide) // 2)))


def _check(
    runs: Sequence[object], panels: object, flow: int | None, start_s: float, end_s: float | None
) -> None:
    from thinpipe.recording import CompleteRecording

    for each in runs:
        if not isinstance(each, CompleteRecording):
            raise TypeError(
                f"runs: must be runs, as thinpipe.run or thinpipe.load returns them, "
                f"not {shown(each)}"
            )
    if not 1 <= len(runs) <= MOST_RUNS:
        raise ValueError(f"runs: must be 1 to {MOST_RUNS}, not {len(runs)}")
    check(panels=panels, flow=0 if flow is None else flow, start_s=start_s, end_s=end_s)


def _panels(
    runs: Sequence[Recording],
    names: Sequence[str],
    wanted: Sequence[str] | None,
    flow: int | None,
    span: tuple[float, float],
) -> list[dict[str, Any]]:
    """Return the panels that the runs have something of, with nothing that can be dragged."""
    from thinpipe.lab.panel import Sight, panel_of
    from thinpipe.lab.views import KINDS

    known = {kind.name: kind for kind in KINDS}
    for name in wanted or ():
        if name not in known:
            hint = suggestion(name, known, f"there are {', '.join(known)}")
            raise ValueError(f"panels: there is no {name!r}{hint}")
    if flow is not None and not all(0 <= flow < len(run.flows) for run in runs):
        raise ValueError(f"flow: {flow} is none of each run's")
    sights = [
        Sight(run, number, name, flow, *span, columns=COLUMNS, several=len(runs) > 1)
        for number, (run, name) in enumerate(zip(runs, names, strict=True))
    ]
    kinds = [kind for kind in KINDS if (kind.usual if wanted is None else kind.name in wanted)]
    built = [panel_of(kind, sights, 0, is_open=True) for kind in kinds]
    return [{**panel, "handles": []} for panel in built if panel is not None]


def _names(runs: Sequence[Recording]) -> list[str]:
    """Return a name for each run: what it was given that others were not, or its directory."""
    given = [dict(run.point.settings) if isinstance(run, Run) else {} for run in runs]
    keys = dict.fromkeys(key for each in given for key in each)
    differ = [key for key in keys if len({each.get(key) for each in given}) > 1]
    names = []
    for run, each in zip(runs, given, strict=True):
        told = " ".join(each[key] for key in differ if key in each)
        directory = getattr(run, "directory", None)
        names.append(told or (directory.name if directory else run.flows[0].variant))
    times = Counter(names)
    return [
        f"{name} ({number})" if times[name] > 1 else name
        for number, name in enumerate(names, start=1)
    ]
