"""The commands of the page "Deploy it" work, line by line, in separate namespaces."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest

from tests.live.conftest import reason_to_skip

SKIP = reason_to_skip() or next(
    (f"needs {name}" for name in ("curl", "unshare") if shutil.which(name) is None), None
)
pytestmark = pytest.mark.skipif(SKIP is not None, reason=str(SKIP))

LIMIT_S = 600
ALREADY = {"make build", "sudo -s", "exit"}
"""Commands that a test has done already, or must not run."""

UNSHARE = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""The namespace ends with its first process."""

PRIVATE = "mount -t tmpfs none /run; set -m"
"""Names of namespaces and the control socket are files below /run; `%1` needs job control."""


@pytest.fixture(scope="module")
def printed(root):
    """Return what the page's first part prints."""
    return _run(root, "On one machine")


def _run(root, title):
    """Return what a part of the page prints, each command behind its `+`."""
    page = (root / "docs" / "deploy.md").read_text(encoding="utf-8")
    part = page.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in part.splitlines() if line.startswith("    ")]
    script = "\n".join(line for line in lines if line.strip() not in ALREADY)
    program = f"{shlex.quote(sys.executable)} -m thinpipe"
    script = script.replace(".venv/bin/python", shlex.quote(sys.executable))
    script = script.replace(".venv/bin/thinpipe", program)
    done = subprocess.run(
        [*UNSHARE, "bash", "-c", f"{PRIVATE}; set -x\n{script}"],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def root(request):
    return request.config.rootpath


def test_the_machine_is_found_fit(printed):
    assert re.findall("^error: .*", printed, flags=re.M) == []
    told = re.findall("^warning: (.*?):", printed, flags=re.M)
    # Without udev there is no device node.
    told = [line for line in told if not line.startswith("/dev/net/tun is of mode")]
    assert told == ["there is no IPv4 default route"]


def test_the_download_is_whole_and_the_proxy_took_part(printed):
    assert "\nsame\n" in printed
    assert 'thinpipe_connections_total{profile="gprs",result="taken"} 1\n' in printed
    [wired] = re.findall('leg="wired",direction="received"} ([0-9]+)', printed)
    [radio] = re.findall('leg="radio",direction="sent"} ([0-9]+)', printed)
    assert 100_000 < int(wired) < 120_000
    assert 100_000 < int(radio) < 120_000
    assert re.search(r"^connections open +\d+ *$", printed, flags=re.M), "status"


def test_datagrams_took_their_turn(printed):
    sent = 'thinpipe_others_packets_total{profile="gprs",class="none",result="sent"} 3\n'
    assert sent in printed


def test_rules_are_there_while_it_runs_and_gone_afterwards(printed):
    [*_, during, after] = printed.split("ip -n border rule\n")
    during = during.replace("ipproto-6", "tcp")  # as without /etc/protocols
    assert "from 10.45.0.0/16 iif wl0 ipproto tcp lookup 101" in during
    assert "iif" not in after


def test_it_tells_of_its_life(printed):
    told = re.findall(r'"event":"([a-z ]+)"', printed)
    told = [event for event in told if event != "host"]
    assert told == ["started", "worker started", "serving", "draining", "drained", "stopped"]
    assert '"why":"there is no IPv4 default route' in printed


def test_a_home_router_schedules_what_goes_up(root):
    printed = _run(root, "A home router behind a modem")
    assert re.findall("^error: .*", printed, flags=re.M) == []
    assert "all that mobiles send, TCP too, waits for its turn, unread" in printed
    [sent] = re.findall(
        'others_packets_total{profile="home",class="none",result="sent"} ([0-9]+)', printed
    )
    assert int(sent) > 3, "a SYN, its acknowledgement, a request and a FIN"
    rules = printed.split("ip -n router rule\n")[-1].replace("ipproto-1", "icmp")
    assert "from 192.168.1.0/24 iif lan0 lookup 101" in rules
    assert "to 192.168.1.0/24 iif modem0 ipproto icmp lookup 101" in rules
