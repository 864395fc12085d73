"""The plot of a handover: links, addresses, peers, flows and losses."""

import itertools

import numpy as np
import polars as pl
import pytest
import thinpipe as tp
from matplotlib.figure import Figure
from matplotlib.text import Text
from thinpipe.plot.bindings import AGENT
from thinpipe.plot.drawing import View
from thinpipe.plot.handover import LANE, chosen, draw_lanes, ends, lanes, losses, mobiles
from thinpipe.plot.kinds import TALL
from thinpipe.plot.signalling import draw_messages, messages
from thinpipe.plot.style import style
from thinpipe.point import Value

MN = f"MN{AGENT}"
HA, AR1, AR2 = "HA", "AR1", "AR2"

MANY: dict[str, Value] = {"wlan.mobiles": 7, "flow.count": 8, "duration": "12 s"}
"""MN, and seven mobiles that walk abroad, with one flow each."""


@pytest.fixture(scope="module")
def walk() -> tp.Run:
    return tp.run("hmipv6-handover", seed=1, trace=True)


@pytest.fixture(scope="module")
def many() -> tp.Run:
    return tp.run("hmipv6-handover", MANY, seed=1, trace=True)


def spans(run, agent, state):
    """Return the spans of a state by router, to the millisecond."""
    found = lanes(run.mobility, agent, run.result.duration_s)
    return [
        (router, round(start_s, 3), round(end_s, 3))
        for router in (HA, AR1, AR2)
        for start_s, end_s in found.get(router, {}).get(state, ())
    ]


def test_lanes_of_a_walk(walk):
    assert spans(walk, MN, "link") == [(HA, 0, 7.1), (AR1, 8.1, 100), (AR2, 70.1, 100)]
    assert spans(walk, MN, "checked") == [(AR1, 8.101, 9.101), (AR2, 70.101, 71.101)]
    assert spans(walk, MN, "address") == [(HA, 0.001, 7.1), (AR1, 9.101, 100), (AR2, 71.101, 100)]


def test_data_go_where_all_bindings_together_lead(walk):
    bound = walk.mobility.filter(walk.mobility["event"] == "bound")
    first, at_home_agent, again = (round(at_s, 3) for at_s in bound["time_s"])
    assert first < at_home_agent, "the MAP binds first, and then nothing leads there yet"
    assert spans(walk, MN, "data") == [
        (HA, 0.001, at_home_agent),
        (AR1, at_home_agent, again),
        (AR2, again, 100),
    ]


def test_data_come_home_with_the_mobile():
    ways = (("5 s", "500 m"), ("25 s", "0 m"))
    back = [{"at": at, "to": [to, "0 m"], "speed": "100 m/s"} for at, to in ways]
    run = tp.run("hmipv6-handover", {"wlan.mobile.MN.walk": back}, duration="40 s", trace=True)
    (home, away, again) = sorted(spans(run, MN, "data"), key=lambda span: span[1])
    assert (home[0], away[0], again[0]) == (HA, AR1, HA)
    assert (home[2], away[2]) == (away[1], again[1])


def test_data_take_tunnels_between_access_routers():
    rows = [
        (1.0, f"MAP{AGENT}", "bound", "MN@MAP", None, "MN@AR1"),
        (1.5, f"HA{AGENT}", "bound", "MN", None, "MN@MAP"),
        (3.0, f"AR1{AGENT}", "bound", "MN@AR1", None, "MN@AR2"),
        (4.0, f"MAP{AGENT}", "bound", "MN@MAP", None, "MN@AR2"),
        (5.0, f"AR1{AGENT}", "unbound", "MN@AR1", None, None),
        (6.0, f"HA{AGENT}", "unbound", "MN", None, None),
    ]
    columns = ("time_s", "agent", "event", "subject", "message", "care_of")
    found = lanes(pl.DataFrame(rows, schema=columns, orient="row"), MN, 9)
    assert found == {AR1: {"data": [(1.5, 3)]}, AR2: {"data": [(3, 6)]}}


def test_no_data_before_a_mobile_abroad_is_bound(many):
    agent = f"MN-0{AGENT}"
    ((_, since_s, _), *_) = spans(many, agent, "data")
    bound = many.mobility.filter(
        (many.mobility["event"] == "bound") & (many.mobility["subject"] == "MN-0")
    )
    assert since_s == round(bound["time_s"][0], 3) > 2


def test_rows_name_agents_beyond_the_link(walk):
    rows = messages(walk.mobility.filter(walk.mobility["time_s"] < 12), MN)["row"].unique()
    assert set(rows) == {
        "router solicitation",
        "router advertisement",
        "neighbour solicitation",
        "binding update, MAP",
        "binding acknowledgement, MAP",
        "binding update, HA",
        "binding acknowledgement, HA",
    }


def test_rows_of_route_optimization_name_the_correspondent():
    settings: dict[str, Value] = {"mobile_ip.kind": "mipv6", "mobile_ip.route_optimization": True}
    run = tp.run("hmipv6-handover", settings, duration="20 s", trace=True)
    rows = messages(run.mobility, MN)["row"]
    assert {"home test init, CN", "care-of test, CN", "binding update, HA"} <= set(rows)


def test_mobiles_are_in_the_order_of_the_scenario(many):
    assert mobiles(many.mobility) == ["MN", *(f"MN-{number}" for number in range(7))]


def test_flow_and_mobile_follow_from_each_other(many):
    known = mobiles(many.mobility)
    assert chosen(many.segments, known, None, None) == (0, 0)
    assert chosen(many.segments, known, 5, None) == (5, 5)
    assert chosen(many.segments, known, None, 3) == (3, 3)
    assert chosen(many.segments, known, 7, 7) == (7, 7)
    assert ends(many.segments, 4, known) == [4]
    with pytest.raises(ValueError, match=r"^mobile: 2 \(MN-1\) is no end of flow 3: 3 \(MN-2\)$"):
        chosen(many.segments, known, 3, 2)
    without = many.segments.filter(many.segments["flow"] != 6)
    assert chosen(without, known, None, 6) == (None, 6)
    with pytest.raises(ValueError, match=r"^flow: 6 sent nothing to or from a mobile"):
        chosen(without, known, 6, None)


def test_losses_are_those_of_the_flow(many):
    lost = many.hops.filter(many.hops["event"] == "dropped")
    of_flows = [len(losses(many.hops, many.segments, flow)) for flow in range(8)]
    assert sum(of_flows) <= len(lost)
    assert of_flows[0] > 0


def test_the_legend_has_one_order(walk):
    for view in (View(0, 100), View(5, 20), View(69, 73)):
        ax = Figure().subplots()
        draw_lanes(ax, view, walk.mobility, MN, ("HA", "AR1", "AR2"))
        labels = ax.get_legend_handles_labels()[1]
        assert labels == [label for *_, label in LANE.values() if label in labels]
        assert "Serving" in labels


def test_panels_of_a_mobile_without_a_flow():
    run = tp.run("hmipv6-handover", {"wlan.mobiles": 1}, duration="5 s", trace=True)
    ax = run.plot.handover(Figure(figsize=(9, 7.5)).subplots(), mobile=1).axes[0]
    *_, window, rtt = ax.child_axes
    assert not window.has_data()
    assert not rtt.has_data()


def seen_texts(figure):
    """Return every text that is drawn, with its bounding box; tick labels outside are not drawn."""
    figure.draw_without_rendering()
    hidden = set()
    for ax in figure.axes[0].child_axes:
        for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            hidden |= {
                label
                for tick in ticks
                if not min(limits) <= tick.get_loc() <= max(limits)
                for label in (tick.label1, tick.label2)
            }
    texts = [each for each in figure.findobj(Text) if each.get_text() and each.get_visible()]
    return [(each.get_text(), each.get_window_extent()) for each in texts if each not in hidden]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({}, {"start_s": 5, "end_s": 20}),
        ({}, {}),
        ({}, {"start_s": 69, "end_s": 73}),
        ({"mobile_ip.kind": "mipv6", "mobile_ip.route_optimization": True}, {}),
        ({"mobile_ip.route_optimization": True, "mobile_ip.fast_handovers": True}, {}),
        (
            {
                "mobile_ip.route_optimization": True,
                "mobile_ip.fast_handovers": True,
                "flow.direction": "between-mobiles",
                "flow.count": 4,
                "wlan.mobiles": 3,
            },
            {"mobile": 2},
        ),
    ],
)
def test_no_text_touches_another(settings, options):
    """There are three pixels between any two texts, and none is cut off."""
    run = tp.run("hmipv6-handover", settings, duration="100 s", trace=True)
    with style():
        figure = Figure(figsize=TALL)
        run.plot.handover(figure.subplots(), **options)
        figure.suptitle("Title", fontsize="medium")
        texts = seen_texts(figure)
    assert len(texts) > 20
    for text, box in texts:
        assert 0 <= box.x0 < box.x1 <= figure.bbox.x1, text
        assert 0 <= box.y0 < box.y1 <= figure.bbox.y1, text
    for (one, its), (other, place) in itertools.combinations(texts, 2):
        across = max(its.x0, place.x0) - min(its.x1, place.x1)
        up = max(its.y0, place.y0) - min(its.y1, place.y1)
        assert max(across, up) >= 3, (one, other)


def test_many_messages_share_rows():
    """With more rows than fit, messages of one kind to all peers have one row."""
    rows = [
        (1.0, MN, "sent", f"binding update {kind}", f"MN-{peer}")
        for kind in "abc"
        for peer in range(6)
    ]
    columns = ("time_s", "agent", "event", "message", "subject")
    table = pl.DataFrame(rows, schema=columns, orient="row")
    for count, expected in ((16, 16), (17, 3)):
        ax = Figure().subplots()
        draw_messages(ax, View(0, 2), table.head(count), MN)
        assert len(ax.get_yticklabels()) == expected
        assert np.size(ax.lines[0].get_xdata()) == count


def test_a_run_without_links_has_no_picture():
    away = {"wlan.mobile.MN.position": ["9 km", "0 m"], "wlan.mobile.MN.walk": []}
    run = tp.run("hmipv6-handover", away, duration="5 s", trace=True)
    with pytest.raises(ValueError, match=r"no mobile .* ever had a link|nothing of the kind"):
        run.plot.handover()
