"""What the lab answers to a request, without a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.experiment import Laboratory
from thinpipe.lab.panel import Handle, Layer, PanelKind, Sight
from thinpipe.lab.request import Request
from thinpipe.lab.views import KINDS
from thinpipe.point import Point
from thinpipe.run import Run, run_point

if TYPE_CHECKING:
    from thinpipe.recording import Recording

LABORATORY = Laboratory(Catalogue({}))
ALL = [kind.name for kind in KINDS]


def traced(scenario: str, settings: dict[str, str]) -> Run:
    """Return a traced run."""
    return run_point(Point.of(scenario, settings), trace=True, threads=1)


def sight(run: Recording, start_s: float = 0.0, end_s: float | None = None, **more: Any) -> Sight:
    """Return a sight of a run alone, of all of it unless there are times."""
    end_s = run.result.duration_s if end_s is None else end_s
    return Sight(run, 0, "run", more.pop("flow", 0), start_s, end_s, 800, **more)


def answer(scenario: str, settings: dict[str, str], **more: Any) -> dict[str, Any]:
    """Return what a page gets that has every panel open, through JSON without NaN."""
    message = {"scenario": scenario, "set": settings, "panels": ALL, **more}
    found = LABORATORY.answer(Request.of(message), lambda: False)
    read: dict[str, Any] = json.loads(json.dumps(found, allow_nan=False))
    return read


def panels(scenario: str, settings: dict[str, str], **more: Any) -> dict[str, dict[str, Any]]:
    """Return the panels of `answer`, by name."""
    return {panel["name"]: panel for panel in answer(scenario, settings, **more)["panels"]}


def rows(kind: PanelKind, of: Sight) -> list[str]:
    """Return the rows of a panel that has some."""
    assert kind.rows is not None
    return kind.rows(of)


def handles(kind: PanelKind, of: Sight) -> list[Handle]:
    """Return what can be dragged in a panel in which something can."""
    assert kind.handles is not None
    return kind.handles(of)


def of_kind(layers: list[Layer], kind: str) -> list[Layer]:
    """Return the layers of a kind."""
    return [layer for layer in layers if layer["kind"] == kind]
