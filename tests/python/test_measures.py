"""The list of measures beside what runs really have."""

import re

import pytest
import thinpipe as tp
from thinpipe.sweep.measures import measures
from thinpipe.sweep.metrics import EXCLUDED, metrics_of

RUNS = [
    ("umts-dch-384", {"flow.count": 2}),
    ("umts-cell-50", {"radio.ues": 3}),
    ("gprs-3+1", {"middlebox.kind": "atcp"}),
    ("hmipv6-handover", {}),
    ("plain-384", {"flow.application": "probe"}),
    ("plain-384", {"flow.application": "telnet"}),
    ("plain-384", {"flow.application": "web"}),
]
NAMES = {each.name: each for each in measures()}


def placeholder(column: str, links: list[str]) -> str:
    """Return a column with the placeholders of `Measure.name`."""
    column = re.sub(r"^energy\.states\.[\w-]+\.", "energy.states.NAME.", column)
    for link in links:
        column = column.replace(f"links.{link}.", "links.NAME.")
    return re.sub(r"\.\d+(?=\.|$)", ".N", column)


@pytest.mark.parametrize(("scenario", "settings"), RUNS)
def test_every_number_of_a_run_is_a_measure(scenario, settings):
    result = tp.run(scenario, settings, duration="20 s").to_dict()
    links = [link["name"] for link in result["links"]]
    columns = {
        placeholder(name, links)
        for name, value in metrics_of(result).items()
        if not isinstance(value, str | None)
    }
    assert columns - NAMES.keys() == set()
    assert {"flows.count", "flows.goodput_bps", "links.drops"} <= columns
    assert len(columns & NAMES.keys()) > 40


def test_every_measure_has_its_place_and_a_meaning_of_one_line():
    assert len(NAMES) == len(measures())
    assert not {each.path for each in measures()} & EXCLUDED
    assert all(each.meaning and "\n" not in each.meaning for each in measures())


@pytest.mark.parametrize(
    ("name", "unit", "path"),
    [
        ("goodput_bps", "bit/s", "flows[].goodput_bps"),
        ("rtt_s.p95", "s", "flows[].rtt_s.p95"),
        ("rtt_s.samples", "", "flows[].rtt_s.samples"),
        ("links.NAME.utilization", "share", "links[].utilization"),
        ("links.NAME.queue_packets.max", "packets", "links[].queue_packets.max"),
        ("cwnd_segments.mean", "segments", "flows[].cwnd_segments.mean"),
        ("middlebox.held_max", "B", "middlebox.held_max"),
        ("total.jain_index", "", "total.jain_index"),
        ("energy.per_megabyte_j", "J", "energy.per_megabyte_j"),
        ("energy.states.NAME.power_w", "W", "energy.states[].power_w"),
        ("mobility.handovers.N.latency_s", "s", "mobility.handovers[].latency_s"),
    ],
)
def test_unit_and_place(name, unit, path):
    assert (NAMES[name].unit, NAMES[name].path) == (unit, path)
