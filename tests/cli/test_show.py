"""``thinpipe show``: the lists, the drawing, and that nothing overlaps."""

import itertools
import re
from dataclasses import replace

import matplotlib.image
import numpy as np
import pytest
import thinpipe as tp
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox
from thinpipe.network import MIN_ALIKE, Direction, Link, Network, Node, Station, Walk
from thinpipe.plot.network import draw_network, lines, plan_of
from thinpipe.plot.network_plan import alike
from thinpipe.plot.style import style
from thinpipe.scenario import scenarios

WIRE = Direction(100e6, 0.002, 50, None)
AIR = Direction(11e6, None, 50, None)

DOMAIN = Network(
    nodes=tuple(map(Node, ("CN", "HA", "N1", "MAP", "AR1", "AR2", "MN"))),
    links=tuple(
        Link(name, kind, ends, way, way)
        for name, kind, ends, way in (
            ("Ethernet", "wired", (0, 2), WIRE),
            ("home", "wired", (1, 2), WIRE),
            ("WAN", "wired", (2, 3), WIRE),
            ("access", "wired", (3, 4), WIRE),
            ("access-2", "wired", (3, 5), WIRE),
            ("WLAN", "wlan", (1, 6), AIR),
            ("WLAN", "wlan", (4, 6), AIR),
            ("WLAN", "wlan", (5, 6), AIR),
        )
    ),
    stations=(
        Station("HA", (-3000, 0), 150),
        Station("AR1", (0, 0), 200),
        Station("AR2", (320, 0), 200),
    ),
    walks=(Walk("MN", ((0, -3000, 0), (5, -3000, 0), (35, 0, 0), (500, 465, 0))),),
)
"""A mobile away from home, in a network with two access routers."""


def texts(figure):
    """Return every text of a drawing with its bounding box in pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    found = [*figure.texts, *(text for ax in figure.axes for text in ax.texts)]
    return [(each.get_text(), each.get_window_extent(canvas.get_renderer())) for each in found
            if each.get_text()]  # fmt: skip


def check(figure):
    """Check that every text is inside the drawing and that none overlap."""
    found = texts(figure)
    for text, box in found:
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= figure.bbox.x1, text
        assert box.y1 <= figure.bbox.y1, text
    for (one, its), (other, place) in itertools.combinations(found, 2):
        apart = its.x1 <= place.x0 or place.x1 <= its.x0 or its.y1 <= place.y0 or place.y1 <= its.y0
        assert apart, f"{one!r} covers {other!r}"
    return [text for text, _ in found]


def shared(one, other):
    """Return the length in inches that two straight lines have in common."""
    start, end = np.array(one)
    length = np.hypot(*(end - start))
    along = (end - start) / length
    offsets = np.array(other) - start
    if np.abs(offsets @ (-along[1], along[0])).max() > 1e-3:
        return 0.0
    first, last = sorted(offsets @ along)
    return min(length, last) - max(0.0, first)


def check_lines(network, graph):
    """Check that links share no line, and that none passes a node or a label of a link."""
    shown = network.grouped()
    plan = plan_of(shown)
    lines = [
        (number, pair)
        for number, route in enumerate(plan.routes)
        for pair in itertools.pairwise(route.way)
        if pair[0] != pair[1]
    ]
    for (one, its), (other, pair) in itertools.combinations(lines, 2):
        if one != other:
            assert shared(its, pair) < 0.01, (shown.links[one], shown.links[other])
    nodes = {place[0] for place in plan.places}
    labels = [
        each.get_window_extent().transformed(graph.transData.inverted())
        for each in graph.texts
        if each.get_position()[0] not in nodes
    ]
    boxes = [
        Bbox.from_bounds(x - width / 2, y - height / 2, width, height)
        for (x, y), (width, height) in zip(plan.places, plan.boxes, strict=True)
    ]
    for number, pair in lines:
        spots = np.linspace(*pair, 200)
        for box in (*labels, *boxes):
            low, high = np.array(box.min) + 0.01, np.array(box.max) - 0.01
            assert not ((spots > low) & (spots < high)).all(axis=1).any(), shown.links[number]


def drawn(network):
    with style():
        figure = draw_network(network, title="title", note="A note of some length. " * 12)
        said = check(figure)
        check_lines(network, figure.axes[0])
        return said


@pytest.mark.parametrize("name", scenarios())
def test_a_picture_of_what_ships_has_every_name_and_no_text_on_another(name):
    network = Network.of(name).grouped()
    said = drawn(network)
    names = [node.name for node in network.nodes] + [link.name for link in network.links]
    assert {*names, *(station.name for station in network.stations)} <= {*said}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("dumbbell-100", {"flow.hosts": "own"}),
        ("dumbbell-100", {"flow.hosts": "own", "flow.count": MIN_ALIKE - 1}),
        ("gprs-3+1", {"radio.ues": 3, "middlebox.kind": "atcp"}),
        ("umts-384", {"radio.ues": MIN_ALIKE, "middlebox.kind": "snoop", "middlebox.at": "RNC"}),
        ("umts-cell-50", {"radio.ues": 4}),
        ("umts-dch-384", {"radio.ues": 3}),
        ("umts-handover", {"radio.ues": 3}),
        *(("hmipv6-handover", {"wlan.mobiles": mobiles}) for mobiles in range(1, 6)),
        ("hmipv6-handover", {"wlan.mobiles": 2, "mobile_ip.kind": "mipv6"}),
        ("hmipv6-handover", {"wlan.mobiles": 100, "duration": "500 s"}),
    ],
)
def test_settings_change_the_picture(name, settings):
    said = drawn(Network.of(name, settings))
    assert len(said) > len(drawn(Network.of("link")))


def test_links_without_a_label_are_like_one_that_has_a_label():
    for mobiles in range(6):
        network = Network.of("hmipv6-handover", {"wlan.mobiles": mobiles}).grouped()
        routes = plan_of(network).routes
        said = {alike(link) for link, at in zip(network.links, routes, strict=True) if at.label}
        assert said == {alike(link) for link in network.links}


def test_a_mobile_with_several_ways_in():
    said = drawn(DOMAIN)
    for node in DOMAIN.nodes:
        assert node.name in said
    assert {"MN, 0–5 s", "35 s", "500 s"} <= set(said)
    assert said.count("WLAN") == 3


def wires(*ends, of=DOMAIN):
    """Return a network of alike wires, named after their ends, with a mobile at the end."""
    names = list(dict.fromkeys(name for pair in ends for name in pair))
    links = [
        Link(f"{a}-{b}-{number}", "wired", (names.index(a), names.index(b)), WIRE, WIRE)
        for number, (a, b) in enumerate(ends)
    ]
    air = [
        Link("WLAN", "wlan", (names.index(each.name), len(names)), AIR, AIR)
        for each in of.stations
        if each.name in names
    ]
    return Network((*map(Node, names), Node("MN")), (*links, *air), of.stations, of.walks)


@pytest.mark.parametrize(
    "ends",
    [
        "CN-N1 N1-HA N1-A A-MAP MAP-B B-N1 MAP-AR1 B-AR2",  # a ring
        "CN-N1 N1-HA N1-MAP N1-MAP N1-MAP MAP-AR1 MAP-AR2",  # the same twice and again
        "CN-HA HA-AR1 AR1-AR2 CN-AR1 CN-AR2 HA-AR2",  # each with each
        "CN-A CN-B CN-C CN-D A-B B-C C-D D-A A-AR1 B-AR1 C-AR2 D-AR2 AR1-AR2",
    ],
)
def test_no_text_covers_another_in_networks_of_any_shape(ends):
    network = wires(*(tuple(pair.split("-")) for pair in ends.split()))
    said = drawn(network)
    assert {link.name for link in network.links} <= {*said}


def test_access_points_at_one_place_share_a_name():
    (home, first, second) = DOMAIN.stations
    beside = replace(DOMAIN, stations=(home, first, replace(second, position_m=(0, 0))))
    assert "AR1, AR2" in drawn(beside)
    near = replace(DOMAIN, stations=(home, first, replace(second, position_m=(1, 0))))
    assert {"AR1", "AR2"} <= {*drawn(near)}


def test_labels_lie_on_no_transmitter_and_no_path():
    wired = Link("Uu", "cell", (0, 1), AIR, AIR)
    network = Network(
        nodes=tuple(map(Node, ("RNC", "walker", "runner"))),
        links=(wired, replace(wired, ends=(0, 2))),
        stations=(Station("A", (0, 0), None), Station("B", (400, 0), None)),
        walks=(
            Walk("walker", ((0, 20, 10), (200, 380, 10))),
            Walk("runner", ((0, 380, -10), (200, -220, -10))),
        ),
    )
    with style():
        figure = draw_network(network, title="title", note="note")
    check(figure)
    places = figure.axes[-1]
    labels = [each.get_window_extent().padded(-1) for each in places.texts if each.get_text()]
    assert len(labels) == 6
    for line in places.lines:
        drawn_line = line.get_transform().transform_path(line.get_path())
        assert not any(drawn_line.intersects_bbox(box, filled=False) for box in labels)


def test_many_ways_are_one_faint_drawing():
    ways = tuple(Walk(f"MN-{n}", ((0, n, 0), (9, 900 - n, 0))) for n in range(300))
    with style():
        figure = draw_network(replace(DOMAIN, walks=ways), title="title", note="")
    places = figure.axes[-1]
    assert len(places.lines) + len(places.texts) < 10
    assert all(0 < float(each.get_alpha() or 1) < 0.5 for each in places.collections)
    assert "MN-7" not in check(figure)


def test_a_link_without_packets_has_both_ends(tmp_path):
    text = tp.scenarios()["hmipv6-handover"].source
    spare = '[[wired]]\nname = "spare"\nbetween = ["N1", "MAP"]\nrate = "1 Mbit/s"\ndelay = "1 s"\n'
    (tmp_path / "spare.toml").write_text(text + "\n" + spare)
    network = Network.of(tmp_path / "spare.toml")
    (found,) = (link for link in network.links if link.name == "spare")
    assert [network.nodes[end].name for end in found.ends] == ["N1", "MAP"]
    assert "spare" in drawn(network)


def test_the_queue_of_an_access_point_is_one_for_all_mobiles():
    alone, two = (Network.of("hmipv6-handover", {"wlan.mobiles": n}) for n in (0, 1))
    for network, shared in ((alone, False), (two, True)):
        air = [link for link in network.links if link.kind == "wlan"]
        assert {link.forward.shared for link in air} == {shared}
        assert not any(link.reverse is None or link.reverse.shared for link in air)
    said = lines(two.links[-1])
    assert said[-2:] == ("→ queue 50 packets in all", "← queue 50 packets")


def test_many_that_are_alike_stand_as_one():
    few, many = (Network.of("umts-cell-50", {"radio.ues": n}) for n in (MIN_ALIKE - 1, MIN_ALIKE))
    assert few.grouped() == few
    assert [(node.name, node.count) for node in many.grouped().nodes[-2:]] == [
        ("RNC", 1),
        (f"UE-0 … UE-{MIN_ALIKE - 1}", MIN_ALIKE),
    ]


def test_many_mobiles_with_the_same_access_points_stand_as_one():
    mobiles = range(6, 6 + MIN_ALIKE)
    air = [Link(f"W{ap}", "wlan", (ap, mobile), AIR, AIR) for mobile in mobiles for ap in (4, 5)]
    nodes = (*DOMAIN.nodes[:6], *(Node(f"MN-{mobile}") for mobile in mobiles))
    network = Network(nodes, (*DOMAIN.links[:5], *air), (), ()).grouped()
    assert [node.count for node in network.nodes] == [1] * 6 + [MIN_ALIKE]
    assert [link.ends for link in network.links[5:]] == [(4, 6), (5, 6)]
    drawn(network)


def test_what_differs_by_direction_is_said_of_each():
    (link,) = Network.of("satellite-geo").links
    assert lines(link) == (
        "→ 20 Mbit/s",
        "← 6 Mbit/s",
        "279 ms",
        "→ queue 1,395 kB",
        "← queue 418 kB",
    )


def test_listing_and_picture(thinpipe, tmp_path):
    done = thinpipe("show", "umts-handover", "--set", "middlebox.kind=atcp")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\numts-handover-network.png\n")
    rows = [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]
    assert ["RNC", "1", "atcp"] in rows
    assert ["Gi", "wired", "host", "GGSN", "any rate", "15 ms", "no limit"] in rows
    assert ["Uu", "cell", "walker", "RNC", "120 kbit/s", "–", "50 packets"] in rows
    assert ["walker", "20, 10", "–", "380, 10 at 200 s"] in rows
    image = matplotlib.image.imread(tmp_path / "umts-handover-network.png")
    assert image[..., :3].std() > 0.05


def test_of_many_mobiles_the_first_are_listed(thinpipe):
    done = thinpipe("show", "hmipv6-handover", "--set", "wlan.mobiles=1234")
    assert done.returncode == 0, done.stderr
    assert "\n… and 1,135 mobiles more\n" in done.stdout
    assert "MN-98 " in done.stdout
    assert "MN-99 " not in done.stdout


def test_a_file_is_named_after_itself(thinpipe, tmp_path):
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "thin.toml").write_text('[link]\nrate = "50 kbit/s"\n')
    done = thinpipe("show", "net/thin.toml")
    assert done.stdout.endswith("\nthin-network.png\n")
    assert (tmp_path / "thin-network.png").exists()


def test_a_run_shows_its_network(thinpipe, tmp_path, mine):
    asked = ("--set", f"tcp.congestion_control={mine.name}:Mine", "--set", "middlebox.kind=atcp")
    assert thinpipe("run", "gprs-3+1", *asked, "--duration", "1s", "--out", "a/b").returncode == 0
    of_scenario, of_run = thinpipe("show", "gprs-3+1", *asked), thinpipe("show", "a/b")
    assert (of_run.returncode, of_run.stderr) == (0, "")
    tables = [done.stdout.rpartition("\n\n")[0] for done in (of_scenario, of_run)]
    assert tables[0] == tables[1]
    assert "atcp" in tables[0]
    pictures = [tmp_path / f"{name}-network.png" for name in ("gprs-3+1", "b")]
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    without = thinpipe("show", "a/b", "--set", "middlebox.kind=none")
    assert "atcp" not in without.stdout


@pytest.mark.parametrize(("name", "first"), [("a.svg", b"<?xml"), ("b.PDF", b"%PDF-")])
def test_picture_is_of_the_kind_that_its_name_says(thinpipe, tmp_path, name, first):
    done = thinpipe("show", "link", "--out", f"new/{name}")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "new" / name).read_bytes().startswith(first)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("nope",),
            "unknown scenario 'nope': neither a file nor one that ships; see `thinpipe pipes`",
        ),
        ((".",), ".: is a directory; expected a TOML file, or a name of `thinpipe pipes`"),
        (("link", "--set", "link.rat=1"), "--set link.rat=1: unknown key; did you mean link.rate?"),
        (("link", "--set", "rate"), "--set rate: expected KEY=VALUE, as in radio.tbler=5%"),
        (("link", "--out", "a.gif"), "--out a.gif: must end in .png, .svg or .pdf"),
        (("link", "--out", "/proc/a.png"), "/proc/a.png: No such file or directory"),
    ],
)
def test_bad_input_is_one_line(thinpipe, tmp_path, arguments, expected):
    done = thinpipe("show", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"
    assert not list(tmp_path.iterdir())
