"""Each application runs from the command line and reports its metrics."""

import json

import pytest

LINK = """
[link]
rate = "50 kbit/s"
delay = "200 ms"
"""


@pytest.fixture
def thin(tmp_path):
    (tmp_path / "thin.toml").write_text(LINK)
    return "thin.toml"


def flows_of(thinpipe, scenario, *settings):
    pairs = [word for setting in settings for word in ("--set", setting)]
    done = thinpipe("run", scenario, "--json", *pairs)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["flows"]


@pytest.mark.parametrize("protocol", ["http/1.0", "http/1.1"])
def test_pages(thinpipe, thin, protocol):
    settings = ("flow.application=web", f"flow.web.protocol={protocol}", "duration=300s")
    (flow,) = flows_of(thinpipe, thin, *settings)
    assert flow["pages"]["count"] == flow["pages"]["response_s"]["samples"] > 3


def test_echoes(thinpipe, thin):
    (flow,) = flows_of(thinpipe, thin, "flow.application=telnet", "flow.telnet.count=20")
    assert flow["echo_s"]["samples"] == 20
    assert flow["echo_s"]["min"] > 0.4


def test_probes(thinpipe, thin):
    settings = ("flow.application=probe", "flow.probe.count=5", "duration=60s")
    (flow,) = flows_of(thinpipe, thin, *settings)
    assert flow["probe_s"]["samples"] == 5
    assert 0.2 < flow["probe_s"]["min"] < 0.4


def test_an_abort_ends_the_connection(thinpipe, thin):
    (flow,) = flows_of(thinpipe, thin, "flow.abort=10s")
    assert 10 < flow["given_up_s"] < 11


def test_groups(thinpipe, tmp_path):
    group = '[[flow.group]]\nname = "typing"\napplication = "telnet"\n'
    (tmp_path / "two.toml").write_text(LINK + group)
    first, second = flows_of(thinpipe, "two.toml", "flow.count=1", "flow.group.typing.start=5s")
    assert (first["group"], second["group"]) == ("flow", "typing")
    assert second["started_s"] > 5


def test_a_capture_of_a_run_is_a_workload(thinpipe, thin):
    done = thinpipe(
        "run", thin, "--set", "flow.bytes=30 kB", "--set", "flow.count=3", "--set",
        "flow.interval=2s", "--set", "flow.opened_by=receiver", "--out", "out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    flows = flows_of(thinpipe, thin, "flow.arrivals=out/receiver.pcapng")
    assert [flow["bytes_acked"] for flow in flows] == [30_000] * 3
    assert flows[2]["started_s"] - flows[0]["started_s"] == pytest.approx(4, abs=0.5)
    # Settings override the flows of a shipped scenario.
    flows = flows_of(thinpipe, "gprs-fifo", "flow.arrivals=out/receiver.pcapng")
    assert [flow["bytes_acked"] for flow in flows] == [30_000] * 3


def test_the_terminal_has_response_times(thinpipe, thin):
    done = thinpipe("run", thin, "--set", "flow.application=telnet")
    assert done.returncode == 0, done.stderr
    assert "echo" in done.stdout
