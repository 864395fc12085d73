"""Moving mobiles: handovers measured, plotted and captured, and errors."""

import json
import re

import pytest
import thinpipe as tp
from thinpipe.scenario import find

SCENARIO = "hmipv6-handover"
AGENTS = {f"{node}/mobility" for node in ("HA", "MAP", "AR1", "AR2", "MN")}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the directory of a run of 100 s, in which the mobile gets two new addresses."""
    directory = tmp_path_factory.mktemp("mobile") / "run"
    tp.run(SCENARIO, seed=1, trace=True).save(directory)
    return directory


def test_a_run_tells_of_handovers(thinpipe):
    done = thinpipe("run", SCENARIO, "--json")
    assert done.returncode == 0, done.stderr
    mobility = json.loads(done.stdout)["mobility"]
    assert mobility["routers"] == ["HA", "AR1", "AR2"]
    away, within = mobility["handovers"]
    assert [each["router"] for each in (away, within)] == [1, 2]
    assert away["latency_s"] > within["latency_s"] > 1.0, "the address is checked for a second"
    assert within["link_down_s"] is None, "two links at once"
    for each in (away, within):
        order = [each[f"{what}_s"] for what in ("link_up", "advertised", "address", "registered")]
        assert order == sorted(order)
    assert mobility["given_up"] == 0


def test_the_use_of_the_radio_is_told():
    def shares(**settings):
        links = tp.run(SCENARIO, {"duration": "60 s", **settings}).result.links
        return [link.utilization for link in links if link.name.startswith("WLAN/")]

    (down, up), slow = shares(), shares(**{"wlan.rate": "1Mbit/s"})
    assert down == up, "both directions share the media"
    assert 0 < down < slow[0] < 1


def test_what_a_scenario_changes_shows():
    def latency_s(**settings):
        run = tp.run(SCENARIO, {key.replace("__", "."): each for key, each in settings.items()})
        assert run.result.mobility is not None
        return run.result.mobility.handovers[1].latency_s

    standard = latency_s()
    assert latency_s(mobile_ip__duplicate_address_detection="optimistic") < standard - 0.9
    assert latency_s(mobile_ip__kind="mipv6") > standard + 0.1, "the home agent is further away"


def test_the_table_of_a_run(saved):
    table = tp.load(saved).mobility
    assert table["time_s"].is_sorted()
    assert set(table["agent"].unique().cast(str)) <= AGENTS
    bound = table.filter(table["event"] == "bound")
    agents = bound["agent"].cast(str).to_list()
    assert agents == ["MAP/mobility", "HA/mobility", "MAP/mobility"]
    assert table.filter(table["event"] == "given_up").is_empty()


def test_handovers_are_drawn(thinpipe, saved, tmp_path):
    file = tmp_path / "handover.png"
    view = ("--from", "69s", "--to", "73s", "--out", str(file))
    done = thinpipe("plot", str(saved), "--kind", "handover", *view)
    assert (done.returncode, done.stdout) == (0, f"{file}\n"), done.stderr
    assert file.stat().st_size > 10_000


DETOUR = """
[[wired]]
name = "N2"
between = ["N1", "N2"]
rate = "2 Mbit/s"
delay = "40 ms"

[[wired]]
name = "N3"
between = ["N2", "MAP"]
rate = "2 Mbit/s"
delay = "40 ms"

[[route]]
name = "detour"
at = "N1"
to = "MAP"
via = "N2"
"""
"""A second, longer path to the MAP, and a static route over it."""


@pytest.fixture
def detour(tmp_path):
    """Return a file of the shipped network with the second path."""
    file = tmp_path / "detour.toml"
    file.write_text(find(SCENARIO).source + DETOUR)
    return file


def test_packets_go_as_routes_say(detour):
    def used(**settings):
        links = tp.run(detour, settings, duration="60 s").result.links
        return {link.name for link in links if link.utilization} & {"wan/down", "N2/down"}

    assert used() == {"N2/down"}
    assert used(**{"route.detour.to": "CN", "route.detour.via": "CN"}) == {"wan/down"}


def test_routes_are_listed(thinpipe, detour):
    done = thinpipe("show", str(detour))
    assert done.returncode == 0, done.stderr
    rows = [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]
    assert ["N1", "MAP", "N2"] in rows
    assert "route at" not in thinpipe("show", SCENARIO).stdout


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("route.detour.via=CN", "packets for MAP would go round: N1 → CN → N1"),
        ("route.detour.via=AR1", "AR1 is no neighbour of N1: no [[wired]] joins them"),
        ("route.detour.to=MN", "MN is no node of [[wired]]: there are AR1, AR2, CN, HA, MAP, N1,"),
        ("route.other.to=AR1", "no [[route]] of that name"),
    ],
)
def test_routes_that_lead_nowhere_are_one_line(thinpipe, detour, setting, expected):
    done = thinpipe("show", str(detour), "--set", setting)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"thinpipe: --set {setting}: ")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("optimized", [False, True])
def test_mobiles_send_to_each_other(optimized):
    settings = {
        "flow.direction": "between-mobiles",
        "flow.count": 2,
        "flow.bytes": "200 kB",
        "flow.start": "15 s",
        "wlan.mobiles": 1,
        "mobile_ip.route_optimization": optimized,
    }
    run = tp.run(SCENARIO, settings)
    assert [flow.bytes_acked for flow in run.result.flows] == [200_000] * 2
    assert all(flow.received_s for flow in run.result.flows)
    known = run.mobility.filter(run.mobility["event"] == "bound")["agent"].cast(str)
    peers = {"MN/mobility", "MN-0/mobility"}
    assert peers & set(known) == (peers if optimized else set())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("plot", "{run}", "--kind", "handover", "--mobile", "1"), "--mobile 1: 1 is none of "),
        (("emulate", SCENARIO, "--", "true"), f"{SCENARIO}: its mobiles move through an IPv6 "),
        (("run", "plain-384", "--set", "wan.rtt=1s"), "--set wan.rtt=1s: wan.rtt is twice the "),
        (("run", SCENARIO, "--set", "mobile_ip.map=AR9"), "--set mobile_ip.map=AR9: AR9 is no "),
        (("run", SCENARIO, "--set", "wlan.rage=9 m"), "--set wlan.rage=9 m: unknown key; did "),
        (("run", SCENARIO, "--set", "route.a.via=N1"), "--set route.a.via=N1: this scenario has "),
        (("run", SCENARIO, "--set", "wlan.range=9"), "--set wlan.range=9: must be a length "),
        (
            ("run", SCENARIO, "--set", "wlan.frequency=0 GHz"),
            "--set wlan.frequency=0 GHz: must be ",
        ),
        (
            ("run", SCENARIO, "--set", "ftp.packet_size=1024", "--set", "ftp.cap=8"),
            "--set ftp.cap=8: packets with 1024 B of data would be cut into 128 pieces, of which ",
        ),
        (
            ("run", SCENARIO, "--set", "wan.rtt=1s", "--set", "wired.wan.delay=1s"),
            "--set wan.rtt=1s: give wan.rtt or wired.wan.delay, not both",
        ),
    ],
)
def test_bad_input_is_one_line(thinpipe, saved, arguments, expected):
    done = thinpipe(*(each.format(run=saved) for each in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"thinpipe: {expected}")
    assert done.stderr.count("\n") == 1


def test_runs_without_mobiles_have_no_such_picture(thinpipe, tmp_path):
    tp.run("plain-384", duration="1 s", trace=True).save(tmp_path / "plain")
    done = thinpipe("plot", "plain", "--kind", "handover")
    assert done.stderr == "thinpipe: --kind handover: needs a run with [mobile_ip]\n"
    assert done.returncode == 2
