"""Every view of every scenario that ships: what a page gets can be drawn, and where it is."""

from __future__ import annotations

import math

import pytest
from thinpipe.scenario import scenarios

from tests.lab import asked

ENTRIES = {
    "step": ("x", "y"),
    "line": ("x", "y"),
    "band": ("x", "low", "mid", "high"),
    "marks": ("x", "y"),
    "bars": ("x0", "x1", "y0", "y1"),
    "arrows": ("x0", "x1", "y0", "y1"),
    "words": ("x", "y", "text"),
    "circles": ("x", "y", "radius"),
    "course": ("time_s", "x", "y"),
}
"""The entries of each kind of layer that have one value for each thing drawn."""


def check_layer(layer, span, is_of_time):
    if layer["kind"] == "area":
        assert len(layer["x"]) == len(layer["low"]) + 1 == len(layer["high"]) + 1
    else:
        counts = {len(layer[name]) for name in ENTRIES[layer["kind"]]}
        assert len(counts) == 1, layer
    for name in ("tips", "of"):
        if layer.get(name):
            assert len(layer[name]) == len(layer.get("x", layer.get("x0"))), layer
    slack = 1e-9 * max(span)
    for name, values in layer.items():
        if name in ("x", "y", "x0", "x1", "y0", "y1", "low", "mid", "high", "radius"):
            numbers = [value for value in values if value is not None]
            assert all(map(math.isfinite, numbers)), layer
            if is_of_time and name.startswith("x"):
                assert None not in values, layer
                assert span[0] - slack <= min(numbers, default=span[0]), layer
                assert max(numbers, default=span[1]) <= span[1] + slack, layer


@pytest.mark.parametrize("name", scenarios())
@pytest.mark.parametrize("span", [None, [4.0, 5.0]], ids=["whole", "part"])
def test_every_scenario(name, span):
    duration_s = 6 if name.startswith(("nr-", "lte-cat4")) else 20
    found = asked.answer(name, {"duration": f"{duration_s} s"}, span=span)
    assert found["panels"], "an empty page"
    for panel in found["panels"]:
        for layer in panel["layers"]:
            check_layer(layer, found["span"], panel["axis"] == "time")
        if panel["rows"]:
            bars = asked.of_kind(panel["layers"], "bars")
            assert all(-0.5 <= y <= len(panel["rows"]) - 0.5 for bar in bars for y in bar["y0"])


@pytest.mark.parametrize(
    ("application", "panel"),
    [("udp", "datagrams"), ("web", "pages"), ("telnet", "echoes"), ("probe", "probes")],
)
def test_applications_have_a_panel_of_their_own(application, panel):
    settings = {"flow.application": application, "duration": "60 s"}
    found = asked.panels("umts-dch-384", settings)
    layers = found[panel]["layers"]
    assert layers
    assert any(len(layer["x"]) for layer in layers)
    others = {"datagrams", "pages", "echoes", "probes"} - {panel}
    assert not others & {*found}


def test_a_call_is_played_after_a_delay():
    settings = {"flow.application": "voip", "duration": "5 s"}
    [flow] = asked.traced("plain-384", settings).flows
    assert flow.voip is not None
    layers = asked.panels("plain-384", settings)["datagrams"]["layers"]
    [line] = [layer for layer in layers if layer["label"] == "played"]
    assert line["y"] == pytest.approx([flow.voip.playout_delay_s] * len(line["y"]), rel=1e-5)


def test_lost_datagrams_are_marked():
    settings = {"flow.application": "udp", "flow.udp.rate": "600 kbit/s", "queue.packets": "10"}
    run = asked.traced("plain-384", {**settings, "duration": "5 s"})
    lost = run.datagrams["lost_by"].is_not_null().sum()
    assert lost > 0
    found = asked.panels("plain-384", {**settings, "duration": "5 s"})
    [marks] = asked.of_kind(found["datagrams"]["layers"], "marks")
    assert marks["label"] == f"lost ({lost:,})"
    [share] = found["datagrams-lost"]["layers"]
    assert share.get("y", share.get("mid"))[-1] == pytest.approx(
        lost / len(run.datagrams), rel=0.02
    )


def test_vegas_shows_its_base_rtt_below_all_round_trips():
    layers = asked.panels("bottleneck", {"tcp.variant": "vegas"})["rtt"]["layers"]
    [base] = [layer for layer in layers if layer["label"] == "baseRTT"]
    [times] = [layer for layer in layers if layer["label"] == "RTT"]
    assert base["dotted"]
    assert base["y"][-1] <= min(times.get("low", times["y"])) + 1e-6
    reno = asked.panels("bottleneck", {"tcp.variant": "reno"})["rtt"]["layers"]
    assert all(layer["label"] != "baseRTT" for layer in reno)
