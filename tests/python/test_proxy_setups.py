"""The set-ups of `thinpipe reproduce proxy` are the same for kernel and simulator."""

import tomllib
from pathlib import Path

import pytest
import thinpipe as tp
from thinpipe.acceptance.proxy import PAPER, paper
from thinpipe.acceptance.proxy.collect import times
from thinpipe.acceptance.proxy.experiments import MIXES, SETUPS
from thinpipe.acceptance.proxy.mixing import VIDEO, VOICE
from thinpipe.acceptance.proxy.setup import flow_key
from thinpipe.testbed import configuration, quic


@pytest.mark.parametrize("name", SETUPS)
def test_both_sides_are_told_the_same(name):
    setup = SETUPS[name]
    told = dict(setup.point.settings)
    assert told["tcp.mss"] == f"{setup.mss_bytes} B"
    assert [listener.bytes for listener in setup.listeners] == [f.bytes for f in setup.fetches]
    assert told["flow.bytes"] == f"{setup.listeners[0].bytes} B"
    ways = {("downlink", "receiver"): ("speak", "get"), ("uplink", "sender"): ("absorb", "send")}
    for number, (listener, fetch) in enumerate(zip(setup.listeners, setup.fetches, strict=True)):
        direction, opener = (
            told[f"{flow_key(number)}.{key}"] for key in ("direction", "opened_by")
        )
        assert ways[direction, opener] == (listener.does, fetch.does)
    if setup.quic is not None:
        sends, gets = setup.quic.listener, setup.quic.fetch(1)
        keys = ("bytes", "port", "tcp.congestion_control")
        quic = [told[f"flow.group.quic.{key}"] for key in keys]
        assert quic == [f"{gets.bytes} B", str(gets.port), sends.control]
        assert (sends.bytes, sends.port) == (gets.bytes, gets.port)
    proxy = setup.plan.proxy
    if proxy is None:
        assert "middlebox.kind" not in told
        return
    [profile] = tomllib.loads(configuration(proxy, Path("/x")))["profile"]
    assert profile["middlebox"]["atcp"]["clamp"] == told["middlebox.atcp.clamp"]
    fractions = profile["middlebox"]["atcp"].get("fractions", False)
    assert str(fractions).lower() == told.get("middlebox.atcp.fractions", "false")
    assert profile["rate"] == told["middlebox.atcp.rate"]
    assert profile.get("uplink_rate") == told.get("middlebox.atcp.uplink_rate")
    others = profile["middlebox"]["atcp"].get("others")
    assert others == told.get("middlebox.atcp.others")
    for each in profile["middlebox"]["atcp"].get("classes", []):
        key = f"middlebox.atcp.classes.{each.pop('name')}"
        assert {what: told[f"{key}.{what}"] for what in each} == {
            k: str(v) for k, v in each.items()
        }


@pytest.mark.parametrize("link", MIXES)
def test_simulated_streams_have_the_packets_of_real_ones(link):
    setup = SETUPS[f"mix-{link}-none"]
    mix, settings = setup.mix, {**dict(setup.point.settings), "duration": "8 s"}
    assert mix is not None
    run = tp.run(setup.point.scenario, settings, trace=True)
    for group, payload in ((VOICE, mix.voice.payload), (VIDEO, mix.video and mix.video.payload)):
        numbers = [flow.id for flow in run.flows if flow.group == group]
        assert bool(numbers) == bool(payload)
        for rows in (run.datagrams.filter(run.datagrams["flow"] == each) for each in numbers):
            assert set(rows["bytes"]) == {payload}
        if group == VOICE:
            apart_s = rows["time_s"].diff().drop_nulls()
            assert set(apart_s.round(9)) == {mix.voice.interval_s}


def test_flows_that_start_late_are_simulated_to_their_end():
    setup = SETUPS["alone-proxy"]
    late_s = 1000
    settings = {**dict(setup.point.settings), "seed": 1, **times(setup, [late_s])}
    flow = tp.run(setup.point.scenario, settings).flows[0]
    assert flow.bytes_acked == setup.flows[0].bytes
    assert flow.received_s is not None
    assert late_s < flow.received_s


def test_each_set_up_is_a_point_of_its_own():
    assert len({setup.point for setup in SETUPS.values()}) == len(SETUPS)


SHARED = "beside-umts-384-cubic-scheduled"
"""The download by QUIC beside it does not end."""


def test_what_is_foreseen_to_last_so_long_does():
    for name in ("short-proxy", "pair-proxy", "three-weighted", "up-gprs-live-40-proxy", SHARED):
        setup = SETUPS[name]
        run = tp.run(setup.point.scenario, dict(setup.point.settings))
        flows = run.flows[: len(setup.flows)]
        assert all(0 < (flow.received_s or 0) < setup.lasts_s for flow in flows)


def test_without_aioquic_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(quic, "find_spec", lambda _: None)
    monkeypatch.setattr(paper, "missing", lambda: None)
    assert PAPER.live is not None
    assert PAPER.live.missing() == "needs aioquic: pip install 'thinpipe[quic]'"


def test_without_wireguard_it_says_which_package_it_is_in(monkeypatch):
    monkeypatch.setattr(paper, "missing", lambda: None)
    monkeypatch.setattr("shutil.which", lambda name: None if name == "wg" else name)
    assert PAPER.live is not None
    assert PAPER.live.missing() == "needs wg, which is in wireguard-tools"
