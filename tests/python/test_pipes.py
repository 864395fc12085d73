"""Named pipes have the figures of their sources, by one rule."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
import thinpipe as tp
from thinpipe import named_pipes
from thinpipe.named_pipes import left_out, radio_of
from thinpipe.named_pipes.pipe import LEAST_PACKETS, LEAST_WAIT_S, PACKET
from thinpipe.scenario import find, named

TEXTS = {
    file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
    for file in files(named_pipes).joinpath("sources").iterdir()
    if file.name.endswith(".toml")
}
OF_SOURCE = {"name", "document", "read", "applied", "pipes"}
MORE_OF_SOURCE = {"kilo", "second_hand", "plain", "left_out"}
OF_PIPE = {"title", "down", "up", "rtt", "delay", "range", "loss", "once", "second_hand"}
OF_PLAIN = {"scenario", "because", "words"}

SETTINGS = {
    "flow.bytes": "unlimited",
    "link.rate": "240 kbit/s",
    "link.delay": "420 ms",
    "link.back.rate": "200 kbit/s",
    "queue.packets": "unlimited",
    "queue.bytes": "25200 B",
    "queue.back.bytes": "21 kB",
}
"""``webpagetest:edge`` by hand."""

PIPES = tp.pipes()
WITH_FIGURES = [name for name, pipe in PIPES.items() if not pipe.is_radio]


@pytest.mark.parametrize("source", TEXTS)
def test_a_source_says_where_its_figures_stand(source):
    table = TEXTS[source]
    assert OF_SOURCE <= {*table} <= OF_SOURCE | MORE_OF_SOURCE
    for name, given in table["pipes"].items():
        assert {*given} <= OF_PIPE | (OF_PLAIN if table.get("plain") else set()), name
        assert ("because" in given) == bool(table.get("plain")), name
        times = {"rtt", "delay", "range"} & {*given}
        assert len(times) <= 1, name
        assert ("down" in given) == ("up" in given), name


UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "B": 1, "kB": 1e3, "MB": 1e6, "KiB": 1024}


def number(text):
    value, unit = text.split()
    return float(value) * UNITS[unit]


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_a_scenario_has_the_figures_of_its_pipe(name):
    """The values that the core reads say what the source's file says, by the rule."""
    source, _, own = name.rpartition(":")
    table = TEXTS[source or "thinpipe"]
    given, kilo = table["pipes"][own], table.get("kilo", 1000)
    values = find(name).values()
    low, high = given.get("range", [given.get("rtt", sum(given.get("delay", [0])))] * 2)
    delays = [number(values["link.delay"]), number(values["link.back.delay"])]
    spans = [number(values[f"link{way}.jitter"]) for way in ("", ".back")]
    assert sum(delays) == pytest.approx((low + high) / 2e3)
    assert sum(spans) == pytest.approx((high - low) / 2e3)
    if "delay" in given:
        assert delays == pytest.approx([each / 1e3 for each in given["delay"]])
    for way in ("", ".back"):
        assert float(values[f"link{way}.loss"]) == pytest.approx(given.get("loss", 0) / 100)
    for way, key, queue in (("down", "link", "queue"), ("up", "link.back", "queue.back")):
        if way not in given:
            assert values[f"{key}.rate"] == "unlimited"
            assert values[f"{queue}.packets"] in ("1000", "as queue.packets")
            continue
        rate = given[way] * kilo
        of = getattr(PIPES[name], way)
        assert of.rate_bps == pytest.approx(rate)
        wait = number(values[f"{queue}.bytes"]) * 8 / rate
        least = max(10 * 12_000 / rate, sum(delays), 0.1)
        assert wait == pytest.approx(least, rel=0.002), "as long as the rule says"


def test_a_rate_is_the_source_s_with_its_kilo():
    vectors = {
        "webpagetest:3g": (1_600_000, 768_000, 0.3),
        "chrome:slow-4g": (1_440_000, 675_000, 0.15),
        "lighthouse:mobile-slow-4g": (1_638_400, 750_000, 0.15),
        "firefox:good-3g": (1536 * 1024, 750 * 1024, 0.04),
        "atc:edge-lossy": (240_000, 200_000, 0.84),
        "apple:very-bad-network": (1_000_000, 1_000_000, 1.0),
        "android:umts": (1_920_000, 128_000, 0.1175),
        "comcast:starlink": (None, None, 0.02),
        "sitespeed:3g": (1_600_000, 768_000, 0.15),
        "browserstack:umts-lossy": (200_000, 50_000, 0.2),
    }
    for name, (down, up, rtt_s) in vectors.items():
        pipe = PIPES[name]
        assert [way and way.rate_bps for way in (pipe.down, pipe.up)] == [down, up], name
        assert pipe.rtt_s == pytest.approx(rtt_s), name
    assert {name.partition(":")[0] for name in vectors} == {*TEXTS} - {"thinpipe"}


def test_names_are_told_apart_and_all_are_found():
    assert not {*PIPES} & {*tp.scenarios()}
    assert {*named()} == {*PIPES} | {*tp.scenarios()}
    for name in PIPES:
        assert find(name).name == name
    for each in left_out():
        with pytest.raises(tp.ScenarioError, match=f"^{each.name}: no pipe is made of it, as "):
            find(each.name)


def test_a_pipe_is_run_like_any_scenario():
    run = tp.run("webpagetest:edge", duration="20 s")
    assert run.result.scenario == "webpagetest:edge"
    assert 0.5 * 240e3 < (run.result.flows[0].goodput_bps or 0) < 240e3
    behind = tp.run("link", settings=dict(SETTINGS), duration="20 s")
    assert behind.result.flows == run.result.flows, "the same as set by hand"


def test_a_plain_name_is_the_scenario_behind_it():
    for name, pipe in PIPES.items():
        if pipe.is_radio:
            assert find(name).source == find(pipe.scenario).source


@pytest.mark.parametrize(
    ("name", "radio"),
    [
        ("webpagetest:edge", "edge-4+1"),
        ("atc:3g-average", "hsdpa-3.6"),
        ("android:umts", "hsdpa-3.6"),
        ("firefox:regular-4g", "lte-cat4"),
        ("comcast:starlink", "leo-15s"),
        ("webpagetest:dsl", None),
        ("3g", None),
    ],
)
def test_a_number_has_a_live_radio_of_its_name(name, radio):
    found = radio_of(PIPES[name])
    assert (found and found.scenario) == radio


def test_the_page_says_the_rule():
    page = (Path(__file__).parents[2] / "docs" / "pipes.md").read_text(encoding="utf-8")
    packet = f"{LEAST_PACKETS} packets of {PACKET} B"
    assert f"{packet}, one bandwidth-delay product or {LEAST_WAIT_S * 1e3:.0f} ms" in page
