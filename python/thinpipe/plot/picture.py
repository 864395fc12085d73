"""Plots as files."""

from __future__ import annotations

import difflib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.files import write_atomically
from thinpipe.plot.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.network import Network
    from thinpipe.recording import Recording, SavedRun
    from thinpipe.sweep.study import Study

KINDS: Final = (
    "time-sequence",
    "outstanding",
    "rtt",
    "throughput",
    "cwnd",
    "packets",
    "goodput",
    "rtt-histogram",
    "datagrams",
    "middlebox",
    "handover",
    "cell",
    "codes",
)
"""Kinds of plots: the methods of `Plots`, with dashes."""

OF_SEVERAL: Final = ("cwnd", "goodput")
"""Kinds that take several runs."""

OF_CELLS: Final = ("cell", "codes")
"""Kinds for networks of cells."""

OF_UDP: Final = ("datagrams",)
"""Kinds for UDP flows; the other kinds of a flow are for TCP."""

OF_NO_FLOW: Final = ("middlebox", "handover", *OF_CELLS)
"""Kinds that show more than one flow."""

SUFFIXES: Final = (".png", ".svg", ".pdf")

SIZE: Final = (9.0, 5.0)
"""Inches."""

TALL: Final[dict[str, tuple[float, float]]] = {"handover": (9.0, 7.5)}
"""Sizes of kinds with many panels, in inches."""

_METADATA: Final[dict[str, dict[str, None]]] = {
    ".png": {"Software": None},
    ".svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    ".pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
}
"""Metadata to omit, so that equal plots give equal files."""


def write_picture(
    run: Recording, file: Path, kind: str, *, flow: int | None = None, **options: float
) -> None:
    """Plot a run into a file: PNG, SVG or PDF, by its suffix.

    The default flow is the first, for a handover that of the mobile.

    Raises
    ------
    ValueError
        If kind, flow or suffix does not exist, or the run lacks what the plot needs.
    OSError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure

    _check_kind(kind)
    _check_suffix(file)
    result = run.result
    with style():
        figure = Figure(figsize=TALL.get(kind, SIZE))
        if flow is not None:
            options["flow"] = flow
        getattr(run.plot, kind.replace("-", "_"))(figure.subplots(), **options)
        title = f"{result.scenario}, seed {result.seed}"
        if kind not in OF_NO_FLOW:
            title += f", flow {flow or 0}: {run.flows[flow or 0].variant}"
        figure.suptitle(title, fontsize="medium")
        _save(figure, file)


def write_picture_of_several(
    runs: Sequence[SavedRun], file: Path, kind: str, *, flow: int | None = None, **options: float
) -> None:
    """Plot several runs into one file, with a legend of what differs between them.

    Raises
    ------
    ValueError
        If the kind is not in `OF_SEVERAL`, a run has no such flow, or the suffix does not exist.
    OSError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure

    from thinpipe.plot.curves import labels

    if kind not in OF_SEVERAL:
        raise ValueError(f"kind: of several runs must be {' or '.join(OF_SEVERAL)}")
    _check_suffix(file)
    results = [run.result for run in runs]
    named = labels(results, [run.directory.name for run in runs])
    with style():
        figure = Figure(figsize=SIZE)
        ax = figure.subplots()
        for run, label in zip(runs, named, strict=True):
            draw = getattr(run.plot, kind)
            draw(ax, flow=flow or 0, label=label, **options)
        scenarios = dict.fromkeys(result.scenario for result in results)
        figure.suptitle(f"{', '.join(scenarios)}, flow {flow or 0}", fontsize="medium")
        _save(figure, file)


def write_sweep_picture(
    study: Study, file: Path, *, x: str | None, y: str, by: Sequence[str] | None
) -> None:
    """Plot a metric of a sweep over a parameter into a file: PNG, SVG or PDF.

    Raises
    ------
    ValueError
        If the sweep has no such metric or parameter, or the suffix is not supported.
    OSError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure

    from thinpipe.plot.sweep import Choice, draw_sweep, heading

    _check_suffix(file)
    chosen = Choice.of(study, x, y, by)
    with style():
        figure = Figure(figsize=SIZE)
        draw_sweep(study, figure.subplots(), chosen)
        figure.suptitle(heading(study, chosen), fontsize="medium")
        _save(figure, file)


def write_network_picture(network: Network, file: Path, *, title: str, note: str) -> None:
    """Draw a network into a file: PNG, SVG or PDF.

    Raises
    ------
    ValueError
        If the suffix is not supported.
    OSError
        If the file cannot be written.
    """
    from thinpipe.plot.network import draw_network

    _check_suffix(file)
    with style():
        _save(draw_network(network, title=title, note=note), file)


def _save(figure: Figure, file: Path) -> None:
    suffix, content = file.suffix.lower(), io.BytesIO()
    figure.savefig(content, format=suffix[1:], metadata=_METADATA[suffix])
    write_atomically(file, content.getvalue())


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        nearest = difflib.get_close_matches(kind.replace("_", "-"), KINDS, n=1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        raise ValueError(f"kind: must be {', '.join(KINDS[:-1])} or {KINDS[-1]}{hint}")


def _check_suffix(file: Path) -> None:
    if file.suffix.lower() not in SUFFIXES:
        raise ValueError(f"file: must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
