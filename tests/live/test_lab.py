"""The live page of a proxy daemon, beside what `thinpipe proxy status` says."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from thinpipe import _core
from thinpipe.testbed import HOST, Bed, Fetch, Link, Listener, Plan, Proxy, bed, missing

websockets = pytest.importorskip("websockets.sync.client", reason="needs websockets")

ADDRESS = re.compile(r"http://(\S+)/\?token=(\S+)")
PROFILE = """
[[profile]]
name = "umts"
mobiles = ["10.45.0.0/16", "2001:db8:45::/64"]
rate = "4 Mbit/s"
round_trip = "40 ms"
"""


@pytest.fixture(scope="module")
def net() -> Iterator[Bed]:
    if reason := missing():
        pytest.skip(reason)
    link = Link("link", (("link.rate", "4 Mbit/s"), ("link.delay", "20 ms")))
    with bed(Plan(link=link, proxy=Proxy(PROFILE))) as made:
        yield made


@contextlib.contextmanager
def page(net: Bed, state) -> Iterator[tuple[str, str]]:
    """Serve the page; yield its host and its token."""
    command = [sys.executable, "-m", "thinpipe", "proxy", "lab", "--config", str(net.config)]
    serving = subprocess.Popen(
        [*command, "--port", "0", "--no-open"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
    )
    assert serving.stderr is not None
    try:
        found = ADDRESS.search(serving.stderr.readline())
        assert found is not None
        yield found[1], found[2]
    finally:
        serving.terminate()
        serving.communicate()


def test_the_page_of_a_daemon_tells_its_status(net, tmp_path):
    net.host.serve([Listener(80, bytes=100_000)])
    [fetched] = net.mobile.fetch([Fetch(HOST[0], 80, bytes=100_000)]).all(120)
    assert fetched.whole
    with page(net, tmp_path) as (host, token):
        headers = {"Cookie": f"thinpipe-lab={token}"}
        with websockets.connect(
            f"ws://{host}/socket", origin=f"http://{host}", additional_headers=headers
        ) as socket:
            first, second = (json.loads(socket.recv(timeout=60)) for _ in range(2))
    status = net.status()
    assert first["error"] is None
    assert first["title"] == "proxy.toml, proxy"
    assert {each["name"] for each in first["panels"]} >= {"mobiles", "flows", "held", "window"}
    for panel in second["panels"]:
        assert panel["layers"][0]["label"] == "umts"
        assert len(panel["layers"][0]["x"]) >= 1
    budget = next(each for each in second["panels"] if each["name"] == "held")["layers"][1]
    assert budget["y"][-1] == pytest.approx(status["profiles"][0]["budget_bytes"] / 1000, rel=1e-5)
    _, tables = _core.proxy_summary(json.dumps(status))
    titles = [list(columns) for columns, _ in tables]
    assert [table["columns"] for table in second["tables"]][: len(titles)] == titles


def test_the_page_of_a_daemon_that_does_not_answer_is_one_line(tmp_path):
    config = tmp_path / "proxy.toml"
    config.write_text(f'[control]\nsocket = "{tmp_path}/control"\n{PROFILE}', encoding="utf-8")
    command = [sys.executable, "-m", "thinpipe", "proxy", "lab", "--config", str(config)]
    done = subprocess.run([*command, "--no-open"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
