"""Mobiles on the move: handovers measured, drawn and captured, and what is refused."""

import json
import shutil
import subprocess

import pytest
import thinpipe as tp

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


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("plot", "{run}", "--kind", "handover", "--mobile", "1"), "--mobile 1: 1 is none of "),
        (("emulate", SCENARIO, "--", "true"), f"{SCENARIO}: its mobiles move through an IPv6 "),
        (("run", "plain-384", "--set", "wan.rtt=1s"), "--set wan.rtt=1s: wan.rtt is twice the "),
        (("run", SCENARIO, "--set", "mobile_ip.map=AR9"), "--set mobile_ip.map=AR9: AR9 is no "),
        (("run", SCENARIO, "--set", "wlan.rage=9 m"), "--set wlan.rage=9 m: unknown key; did "),
        (("run", SCENARIO, "--set", "wlan.range=9"), "--set wlan.range=9: must be a length "),
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
    assert done.stderr == "thinpipe: --kind handover: handover needs a run with [mobile_ip]\n"
    assert done.returncode == 2


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_captures_are_of_ipv6(saved):
    checks = ("-o", "tcp.check_checksum:TRUE")
    command = ["tshark", "-r", str(saved / "MN.pcapng"), *checks, "-Y"]
    amiss = "not ipv6 or not tcp or tcp.checksum.status == 0 or _ws.malformed"
    for display, expected in ((amiss, 0), ("tcp.flags.syn == 1", 2)):
        done = subprocess.run([*command, display], capture_output=True, text=True, check=True)
        assert len(done.stdout.splitlines()) == expected, display
