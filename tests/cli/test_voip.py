"""Calls from the command line and Python: figures, tables, plots, sweeps, captures."""

import json
import shutil
import subprocess

import pytest
import thinpipe as tp

CALLS = {
    "flow.count": "2",
    "flow.bytes": "unlimited",
    "link.rate": "400 kbit/s",
    "link.delay": "50 ms",
    "queue.packets": "30",
    "flow.group.calls.application": "voip",
    "flow.group.calls.count": "2",
    "flow.group.calls.voip.codec": "g729a",
    "flow.group.up.application": "voip",
    "flow.group.up.direction": "uplink",
}
"""Two calls beside two transfers, and one the other way, which has the link to itself."""


@pytest.fixture(scope="module")
def run():
    return tp.run("link", CALLS, duration="20 s", trace=True)


def pairs(settings):
    return [word for item in settings.items() for word in ("--set", "=".join(item))]


def test_flows_and_groups_have_scores(run):
    flows, calls, up = run.result.groups
    assert flows.voip is None
    assert all(flow.voip is None for flow in run.flows[:2])
    scores = [flow.voip.mos for flow in run.flows[2:4]]
    assert calls.voip.mos_mean == pytest.approx(sum(scores) / 2)
    assert calls.voip.mos_min == min(scores)
    assert calls.voip.mos_mean < up.voip.mos_mean
    assert run.result.total.voip.count == 3
    for flow in run.flows[2:]:
        call, datagrams = flow.voip, flow.datagrams
        assert call.played + call.late + call.lost + call.pending == datagrams.sent
        assert flow.variant == "udp"
    assert (up.voip.mos_min > 4.3, run.flows[4].voip.burst_ratio) == (True, None)
    assert set(run.datagrams["flow"]) == {2, 3, 4}


def test_tables_show_them(thinpipe):
    done = thinpipe("run", "link", *pairs(CALLS), "--duration", "20s")
    heads = [line.split() for line in done.stdout.splitlines()]
    groups = next(line for line in heads if line[:2] == ["group", "flows"])
    assert groups[-3:] == ["MOS:", "mean", "lowest"]
    calls = next(line for line in heads if line[:4] == ["flow", "group", "MOS", "R"])
    rows = heads[heads.index(calls) + 1 :][:3]
    printed = json.loads(
        thinpipe("run", "link", *pairs(CALLS), "--json", "--duration", "20s").stdout
    )
    for row, flow in zip(rows, printed["flows"][2:], strict=True):
        assert row[:2] == [str(flow["id"]), flow["group"]]
        assert float(row[2]) == pytest.approx(flow["voip"]["mos"], abs=0.005)
    alone = thinpipe("run", "link", "--set", "flow.count=2", "--duration", "1s").stdout
    assert "MOS" not in alone


def test_a_picture_of_scores(run, thinpipe, tmp_path):
    run.save(tmp_path / "out")
    done = thinpipe("plot", "out", "--kind", "calls")
    assert (done.returncode, done.stdout, done.stderr) == (0, "out-calls.png\n", "")
    ax = run.plot.calls().axes[0]
    marks = {line.get_label(): line for line in ax.lines if line.get_label()[0] != "_"}
    _, calls, up = run.result.groups
    mean, least = calls.voip.mos_mean, calls.voip.mos_min
    labels = [
        f"calls: MOS {mean:.2f} on average, {least:.2f} at least",
        f"up: MOS {up.voip.mos_mean:.2f}",
    ]
    assert list(marks) == labels
    assert [*marks[labels[0]].get_ydata()] == [flow.voip.mos for flow in run.flows[2:4]]
    assert [*marks[labels[1]].get_ydata()] == [run.flows[4].voip.mos]
    lines = {line.get_label(): line for line in run.plot.datagrams(flow=2).axes[0].lines}
    assert set(lines["Played then"].get_ydata()) == {run.flows[2].voip.playout_delay_s}
    with pytest.raises(ValueError, match="calls: shows the whole run"):
        run.plot.calls(start_s=1)
    file = tp.run("link", {"link.rate": "1 Mbit/s"}, duration="1 s")
    with pytest.raises(ValueError, match="calls: no flow is a call that was heard"):
        file.plot.calls()


def test_sweeps_measure_them():
    settings = {"flow.application": "voip", "link.rate": "1 Mbit/s", "duration": "20 s"}
    study = tp.sweep("link", {"link.loss": ["0 %", "5 %"]}, settings=settings, seeds=[1])
    clean, lossy = study["voip.mos"]
    assert clean > 4.3 > lossy
    assert study["total.voip.mos_min"].to_list() == [clean, lossy]


def test_a_sweep_from_the_command_line_prints_a_score_of_a_group(thinpipe):
    words = pairs({**CALLS, "duration": "5 s", "queue.packets": "10"})
    measures = ["groups.calls.voip.mos_min", "total.voip.mos_mean", "voip.mos"]
    asked = [word for name in measures[:2] for word in ("--measure", name)]
    done = thinpipe(
        "sweep", "link", *words, "--vary", "link.loss=0 %,5 %", *asked, "--out", "s.csv"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {*measures[1:], "groups.NAME.voip.mos_min"} <= {
        each.name for each in tp.measures("voip")
    }


def test_bad_input_is_one_line(thinpipe):
    settings = {"flow.application": "voip", "flow.voip.codec": "opus"}
    done = thinpipe("run", "plain-384", *pairs(settings))
    line = "must be g711, g711-without-plc, g729a, g723.1 or amr-12.2"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: --set flow.voip.codec=opus: {line}\n"


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
def test_captures_have_datagrams_to_the_port_of_rtp(run, tmp_path):
    run.save(tmp_path / "out")
    file = str(next((tmp_path / "out").glob("*.pcapng")))
    command = ["tshark", "-n", "-r", file, "-Y", "udp", "-T", "fields", "-e", "udp.dstport"]
    command += ["-e", "udp.length"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    ports = {tuple(line.split("\t")) for line in lines if line}
    # 12 B of RTP and 8 B of UDP around 20 ms of G.729A and of G.711.
    assert ports == {("5004", "40"), ("5004", "180")}
