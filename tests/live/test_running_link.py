"""A link that is changed while real programs use it."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp
from thinpipe._core import EmulationError
from thinpipe.emulation import EmulatedNetwork

pytestmark = pytest.mark.usefixtures("emulation")

LIMIT_S = 300
DELAY_S = 0.01
FETCH = """
import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=300).read())
"""
WAITING_FETCH = f"""
import os, sys
input()
sys.argv.append("http://" + os.environ["THINPIPE_GATEWAY"] + ":8000/file")
{FETCH}
"""
CANNOT = "cannot be changed while it runs"
LINK_KEYS = (
    "link.rate, link.delay, link.loss, link.jitter, link.reorder, link.duplicate, link.corrupt, "
    "link.back.rate, link.back.delay, link.back.loss, link.back.jitter, link.back.reorder, "
    "link.back.duplicate, link.back.corrupt"
)


@pytest.fixture
def server(tmp_path) -> list[str]:
    """Return a server of a file."""
    (tmp_path / "file").write_bytes(os.urandom(4_000_000))
    return [sys.executable, "-m", "http.server", "8000", "--directory", str(tmp_path)]


def fetch(net: EmulatedNetwork) -> "subprocess.Popen[bytes]":
    url = f"http://{net.gateway}:8000/file"
    return net.popen([sys.executable, "-c", FETCH, url], stdout=subprocess.PIPE)


def carry(net: EmulatedNetwork, more_bytes: int) -> None:
    """Wait until so much more has come down."""
    before = net.meter()["down"]["left"]["bytes"]
    while net.meter()["down"]["left"]["bytes"] < before + more_bytes:
        time.sleep(0.01)


def now_s(net: EmulatedNetwork) -> float:
    return float(net.meter()["at_s"])


def delivered(packets: pl.DataFrame, from_s: float, to_s: float) -> pl.DataFrame:
    return packets.filter(fate="delivered").filter(pl.col("due_s").is_between(from_s, to_s))


def rate_bps(packets: pl.DataFrame, from_s: float, to_s: float) -> float:
    """Return what came down per simulated second while packets waited, in bytes of IP packets."""
    came = delivered(packets.filter(direction="down"), from_s, to_s).sort("due_s")
    came = came.with_columns(gap_s=pl.col("due_s").diff(), free_s=pl.col("due_s").shift() - DELAY_S)
    waited = came.filter(pl.col("entered_s") <= pl.col("free_s"))
    assert waited.height > 100
    bits, seconds = waited.select(8 * pl.col("bytes").sum(), pl.col("gap_s").sum()).row(0)
    return float(bits / seconds)


def test_a_download_gets_the_rate_that_the_link_has_by_then(server, tmp_path):
    settings = {"link.rate": "4 Mbit/s", "link.delay": f"{DELAY_S} s", "queue.packets": "50"}
    log = tmp_path / "log.parquet"
    spans = []
    with tp.emulate("link", settings, log=log, server=server) as net:
        fetched = fetch(net)
        for rate, size in (("4 Mbit/s", 800_000), ("1 Mbit/s", 400_000), ("4 Mbit/s", 800_000)):
            net.change({"link.rate": rate})
            assert net.changeable["link.rate"] == rate
            # What was on the wire arrives, and the first bytes of all fill the link.
            carry(net, 100_000)
            start_s = now_s(net)
            carry(net, size)
            spans.append((rate, start_s, now_s(net)))
        content, _ = fetched.communicate(timeout=LIMIT_S)
    assert content == (tmp_path / "file").read_bytes()
    for rate, start_s, end_s in spans:
        expected = 1e6 * float(rate.split()[0])
        assert rate_bps(net.packets, start_s, end_s) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(
    ("scenario", "settings", "delay_s"),
    [
        ("link", {"link.rate": "4 Mbit/s", "link.delay": "10 ms"}, 0.01),
        ("umts-384", {"radio.downlink.rate": "2 Mbit/s"}, 0.25),
    ],
)
def test_nothing_comes_through_a_black_out(server, tmp_path, scenario, settings, delay_s):
    log = tmp_path / "log.parquet"
    with tp.emulate(scenario, settings, log=log, server=server) as net:
        fetched = fetch(net)
        carry(net, 200_000)
        before_s = now_s(net)
        net.black_out(1)
        after_s = now_s(net)
        assert 0 < net.black_out_s <= 1
        carry(net, 200_000)
        assert net.black_out_s == 0
        content, _ = fetched.communicate(timeout=LIMIT_S)
    assert content == (tmp_path / "file").read_bytes()
    assert delivered(net.packets, after_s + delay_s, before_s + 1).height == 0
    for start_s in (before_s - 0.2, before_s + 1):
        assert delivered(net.packets, start_s, LIMIT_S).height > 0


def test_a_black_out_ends_when_it_is_told():
    with tp.emulate("link", delay="5 ms") as net:
        ping = [sys.executable, str(Path(__file__).parent / "probe.py"), "icmp", str(net.gateway)]
        net.black_out(LIMIT_S)
        net.black_out(0)
        assert net.black_out_s == 0
        told = net.run([*ping, "3"], capture_output=True, check=True).stdout.splitlines()
    assert len(json.loads(told[-1])) == 3
    assert net.record.up.dropped.total == 0


def test_a_wrong_value_changes_nothing():
    with tp.emulate("link", delay="5 ms") as net:
        before = net.changeable
        for settings, line in (
            ({"link.rate": "fast"}, "link.rate=fast: not a rate: expected a number and a unit"),
            ({"link.rate": "1 Mbit/s", "link.loss": "2"}, "link.loss=2: must be a probability"),
            (
                {"queue.packets": 5},
                f"queue.packets: cannot be changed while it runs; these can: {LINK_KEYS}",
            ),
            ({"link.rat": "1 Mbit/s"}, f"link.rat: {CANNOT}; these can: "),
        ):
            with pytest.raises(tp.ScenarioError) as error:
                net.change(settings)
            assert str(error.value).startswith(line)
            assert "\n" not in str(error.value)
        with pytest.raises(tp.ScenarioError, match="from 0 to 86400 seconds"):
            net.black_out(-1)
        assert net.changeable == before
        net.change({"link.delay": "7 ms"})
        assert net.changeable == before | {"link.delay": "7 ms", "link.back.delay": "7 ms"}
    with pytest.raises(RuntimeError, match="in the block"):
        net.change({"link.delay": "5 ms"})


def test_a_radio_changes_what_its_schedule_could():
    with tp.emulate("umts-384") as net:
        assert net.changeable.keys() == {"radio.tbler", "radio.downlink.rate", "radio.uplink.rate"}
        net.change({"radio.tbler": "30 %", "radio.uplink.rate": "128 kbit/s"})
        assert net.changeable["radio.uplink.rate"] == "128 kbit/s"
        net.run([sys.executable, "-c", SEND, str(net.gateway)], check=True)
    radio = net.record.radio
    assert radio is not None
    assert radio.blocks_in_error > 0
    with tp.emulate("gprs-3+1") as net:
        with pytest.raises(tp.ScenarioError, match=r"ci: cannot be changed .* can: radio.tbler"):
            net.change({"radio.ci": "8 dB"})
        net.change({"radio.tbler": "30 %"})
        net.black_out(1)
        assert (net.changeable, net.black_out_s > 0) == ({"radio.tbler": "0.3"}, True)


SEND = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
    for _ in range(20):
        sending.sendto(bytes(1000), (sys.argv[1], 9))
"""


def test_an_emulator_that_is_gone_says_so():
    with pytest.raises(EmulationError, match="ended with status"):
        kill_and_ask()


def kill_and_ask() -> None:
    with tp.emulate("link") as net:
        os.kill(net.pid, signal.SIGKILL)
        with pytest.raises(EmulationError, match="the emulator has stopped"):
            carry(net, 1)


ADDRESS = re.compile(r"the link is at (http://[\d.:]+)/\?token=(\S+)\n")


def with_lab(tmp_path: Path, *arguments: str) -> "tuple[subprocess.Popen[str], re.Match[str]]":
    """Start an emulation with a page; return it and the page's address."""
    command = [sys.executable, "-m", "thinpipe", "emulate", "link", "--quiet", "--lab"]
    emulator = subprocess.Popen(
        [*command, "--port", "0", "--set", "link.rate=4 Mbit/s", *arguments],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
    )
    assert emulator.stderr is not None
    line = emulator.stderr.readline()
    found = ADDRESS.fullmatch(line)
    assert found is not None, line
    return emulator, found


def test_a_rate_that_the_page_sets_is_what_the_link_carries(server, tmp_path):
    """A download in a browser's sight; it begins once the page has changed the rate."""
    browsers = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("needs chromium")
    log = tmp_path / "log.parquet"
    settings = (f"--set=link.delay={DELAY_S} s", "--set=queue.packets=50", f"--log={log}")
    command = (f"--server={shlex.join(server)}", "--", sys.executable, "-c", WAITING_FETCH)
    emulator, address = with_lab(tmp_path, *settings, *command)
    with browsers.sync_playwright() as playing:
        browser = playing.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], handle_sigint=False
        )
        page = browser.new_page()
        page.set_default_timeout(1000 * LIMIT_S)
        page.goto(address[0].split()[-1])
        field = page.get_by_label("link.rate, as text")
        field.fill("2 Mbit/s")
        field.press("Enter")
        page.get_by_text("Changed.").wait_for()
        browser.close()
    emulator.communicate("\n", timeout=LIMIT_S)
    assert emulator.returncode == 0
    packets = pl.read_parquet(log)
    assert rate_bps(packets, 0.0, LIMIT_S) == pytest.approx(2e6, rel=0.03)


def test_the_lab_changes_it_over_http(tmp_path):
    emulator, found = with_lab(tmp_path, "--", "cat")

    def ask(method: str, path: str, content: object = None) -> tuple[int, dict[str, object]]:
        request = urllib.request.Request(
            f"{found[1]}{path}",
            method=method,
            data=None if content is None else json.dumps(content).encode(),
            headers={"Cookie": f"thinpipe-lab={found[2]}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    status, state = ask("GET", "/api/link")
    assert status == 200
    assert isinstance(changeable := state["changeable"], dict)
    assert changeable["link.rate"] == "4 Mbit/s"
    status, state = ask("PATCH", "/api/link", {"link.rate": "1 Mbit/s"})
    assert (status, state["changeable"]) == (200, changeable | {"link.rate": "1 Mbit/s"})
    status, state = ask("PATCH", "/api/link", {"link.delay": "1 s", "link.rate": "fast"})
    assert (status, [*state]) == (422, ["error"])
    status, state = ask("POST", "/api/link/black-out", {"seconds": 100})
    assert (status, float(str(state["black_out_s"])) > 0) == (200, True)
    _, state = ask("GET", "/api/link")
    assert state["changeable"] == changeable | {"link.rate": "1 Mbit/s"}
    _, said = emulator.communicate(timeout=LIMIT_S)
    assert (emulator.returncode, said) == (0, "")
