"""The panel of segments shows what `thinpipe plot --kind time-sequence` draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thinpipe.lab.panel import Layer, Sight
from thinpipe.lab.views.sequence import layers
from thinpipe.point import Point
from thinpipe.run import Run, run_point

LABELS = {
    "Segment": "sent",
    "Retransmitted": "retransmitted",
    "SACK": "SACK",
    "Dropped": "dropped",
    "SYN": "SYN",
    "FIN": "FIN",
}
"""Of what is drawn, and of the same layer."""


def run_of(name: str, **settings: str) -> Run:
    given = {key.replace("__", "."): text for key, text in settings.items()}
    return run_point(Point.of(name, {"duration": "20 s", **given}), trace=True)


RUNS = {
    "queue": lambda: run_of("plain-384", queue__packets="8", tcp__variant="sack"),
    "retransmissions": lambda: run_of("bottleneck", link__drop_arrivals="[30, 31, 60, 260]"),
    "radio": lambda: run_of("umts-384-lossy", radio__schedule=(
        '[{at = "3 s", coverage = false}, {at = "6 s", coverage = true}]'
    )),
}  # fmt: skip


def drawn(run: Run, start_s: float, end_s: float) -> dict[str, tuple[Any, Any]]:
    """Return times and ordinates in kB of what a picture has, by the label of the same layer."""
    axes = run.plot.time_sequence(start_s=start_s, end_s=end_s).axes[0]
    factor = {"B": 0.001, "kB": 1.0, "MB": 1000.0}[axes.get_ylabel().split("(")[1].rstrip(")")]
    found = {}
    for line in axes.lines:
        name = LABELS.get(str(line.get_label()).split(" (")[0])
        if name is None:
            continue
        times, values = (np.asarray(each, float) for each in line.get_data())
        if np.isnan(values).any():  # bars are one line with gaps
            found[name] = times[::3], factor * values.reshape(-1, 3)[:, :2]
        else:
            found[name] = times, factor * values
    return found


def shown(layer: Layer) -> tuple[Any, Any]:
    if layer["kind"] == "bars":
        return layer["x0"], np.array([layer["y0"], layer["y1"]]).T
    return layer["x"], layer["y"]


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize(("start_s", "end_s"), [(0.0, 2.0), (2.5, 8.0), (0.0, 20.0)])
def test_the_panel_has_what_the_picture_has(name: str, start_s: float, end_s: float) -> None:
    run = RUNS[name]()
    sight = Sight(run, 0, "", 0, start_s, end_s, 10_000)
    panel = {layer["label"].split(" (")[0]: layer for layer in layers(sight)}
    picture = drawn(run, start_s, end_s)
    assert ("dropped" in panel) == ("dropped" in picture)
    for label, (time_s, at) in picture.items():
        times, values = shown(panel[label])
        np.testing.assert_allclose(times, time_s, atol=1e-7, err_msg=label)
        np.testing.assert_allclose(values, at, atol=0.01, err_msg=label)
    assert "sent" in panel


def test_a_long_view_has_a_line_and_marks() -> None:
    run = run_of("plain-384", queue__packets="8", duration="200 s")
    kinds = {
        layer["label"].split(" (")[0]: layer["kind"]
        for layer in layers(Sight(run, 0, "", 0, 0.0, 200.0, 800))
    }
    assert kinds["sent"] in ("step", "band")
    assert (kinds["retransmitted"], kinds["dropped"]) == ("marks", "marks")


def test_drops_of_acknowledgements_are_none_of_the_sender() -> None:
    run = run_of("bottleneck", link__back__outages='[["1 s", "1.3 s"]]')
    dropped = run.hops.filter(run.hops["event"] == "dropped")
    assert len(dropped) > 0
    labels = [layer["label"] for layer in layers(Sight(run, 0, "", 0, 0.0, 20.0, 800))]
    assert not any(label.startswith("dropped") for label in labels)
