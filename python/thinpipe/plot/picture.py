"""Plots as files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.files import write_atomically
from thinpipe.plot.kinds import KINDS, OF_A_FLOW, SHARING, WIDE, Kind, Size
from thinpipe.plot.shown import Flows, flow_of
from thinpipe.plot.style import style
from thinpipe.suggestion import either, suggestion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.named_pipes import Pipe
    from thinpipe.network import Network
    from thinpipe.recording import Recording, SavedRun
    from thinpipe.sweep.study import Study

Option = float | str | Flows
"""What an option of a plot may be."""

SUFFIXES: Final = (".png", ".svg", ".pdf")

_METADATA: Final[dict[str, dict[str, None]]] = {
    ".png": {"Software": None},
    ".svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    ".pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
}
"""Metadata to omit, so that equal plots give equal files."""


def write_picture(
    run: Recording, file: Path, kind: str, *, flow: Flows | None = None, **options: Option
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
    of_kind = _kind(kind, flow)
    _check_suffix(file)
    title = f"{run.result.scenario}, seed {run.result.seed}"
    if of_kind.of_flow:
        title += _title_of_flows(flow, len(run.flows))
        if flow is None or isinstance(flow, int):
            one = flow_of(run, flow or 0)
            several = len(run.result.groups) > 1
            title += f", {one.group}: {one.variant}" if several else f": {one.variant}"
    if flow is not None:
        options["flow"] = flow
    with _figure(file, of_kind.size, title) as ax:
        getattr(run.plot, of_kind.method)(ax, **options)


def write_picture_of_several(
    runs: Sequence[SavedRun],
    file: Path,
    kind: str,
    *,
    flow: Flows | None = None,
    **options: Option,
) -> None:
    """Plot several runs into one file, with a legend of what differs between them.

    Raises
    ------
    ValueError
        If their kind of plot takes one run only, a run is given twice or has no such flow, or the
        suffix does not exist.
    OSError
        If the file cannot be written.
    """
    from thinpipe.plot.curves import labels
    from thinpipe.recording import distinct

    of_kind = _kind(kind, flow)
    if not of_kind.shares:
        raise ValueError(f"kind: of several runs must be {either(SHARING)}")
    _check_suffix(file)
    results = [run.result for run in distinct(runs)]
    named = labels(runs, [run.directory.name for run in runs])
    scenarios = dict.fromkeys(result.scenario for result in results)
    count = max(len(result.flows) for result in results)
    title = ", ".join(scenarios) + (_title_of_flows(flow, count) if of_kind.of_flow else "")
    with _figure(file, of_kind.size, title) as ax:
        for run, label in zip(runs, named, strict=True):
            draw = getattr(run.plot, of_kind.method)
            draw(ax, flow=flow or 0, label=label, **options)


def write_sweep_picture(
    study: Study,
    file: Path,
    kind: str,
    *,
    x: str | None,
    y: str,
    by: Sequence[str] | None,
    log: str = "",
) -> None:
    """Plot many runs into a file: PNG, SVG or PDF.

    Raises
    ------
    ValueError
        If there is no such kind, metric or parameter, or the suffix is not supported.
    OSError
        If the file cannot be written.
    """
    from thinpipe.plot.sweep import Choice, draw, heading

    _check_suffix(file)
    chosen = Choice.of(study, kind, x=x, y=y, by=by, log=log)
    with _figure(file, WIDE, heading(study, chosen)) as ax:
        draw(study, ax, chosen)


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


def write_pipes_picture(pipes: Sequence[Pipe], file: Path, *, title: str) -> None:
    """Draw the figures of pipes into a file: PNG, SVG or PDF.

    Raises
    ------
    ValueError
        If the suffix is not supported, or no pipe has figures.
    OSError
        If the file cannot be written.
    """
    from thinpipe.plot.pipes import draw_pipes

    _check_suffix(file)
    with style():
        _save(draw_pipes(pipes, title), file)


def network_as_svg(network: Network, *, title: str, note: str) -> str:
    """Return the drawing of a network as the text of an SVG file."""
    from thinpipe.plot.network import draw_network

    with style():
        return _content(draw_network(network, title=title, note=note), ".svg").decode()


@contextmanager
def _figure(file: Path, size: Size, title: str) -> Iterator[Axes]:
    """Yield axes in a figure with a title, and write it if nothing is raised."""
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=size)
        yield figure.subplots()
        figure.suptitle(title, fontsize="medium")
        _save(figure, file)


def _save(figure: Figure, file: Path) -> None:
    write_atomically(file, _content(figure, file.suffix.lower()))


def _content(figure: Figure, suffix: str) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=suffix[1:], metadata=_METADATA[suffix])
    return content.getvalue()


def _kind(name: str, flow: Flows | None) -> Kind:
    if name not in KINDS:
        hint = suggestion(name.replace("_", "-"), KINDS)
        raise ValueError(f"kind: must be {either([*KINDS])}{hint}")
    kind = KINDS[name]
    if flow is not None and not kind.takes_flow:
        raise ValueError(f"flow: {_text(flow)} needs a kind that takes one: {either(OF_A_FLOW)}")
    if not (kind.shares or isinstance(flow or 0, int)):
        raise ValueError(f"flow: {_text(flow)} needs a kind that shows several: {either(SHARING)}")
    return kind


def _title_of_flows(flow: Flows | None, count: int) -> str:
    """Return which of so many flows are shown."""
    if flow == "all":
        return ", all flows"
    several = not isinstance(flow or 0, int)
    of = f" of {count}" if count > 1 else ""
    return f", flow{'s' if several else ''} {_text(flow)}{of}"


def _text(flow: Flows | None) -> str:
    """Return a choice of flows as on the command line."""
    if isinstance(flow, Sequence) and flow != "all":
        return ",".join(map(str, flow))
    return str(flow or 0)


def _check_suffix(file: Path) -> None:
    if file.suffix.lower() not in SUFFIXES:
        raise ValueError(f"file: must end in {either(SUFFIXES)}")
