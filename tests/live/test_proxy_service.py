"""The commands of the page "Deploy it" on a router work, under the test's own systemd."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from thinpipe.testbed import offloads

from tests.live.conftest import ROOT, TARGET, reason_to_skip

BOOT = Path(__file__).with_name("boot_systemd.sh")
SYSTEMD = Path("/lib/systemd/systemd")
UNIT = "thinpiped"
CLONE = "/root/clone"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

UP = [["running"], ["degraded"]]
LIMIT_S = 300.0
BOOTED_S = 120.0
WATCHDOG_S = 10.0
PAUSE_S = 0.1

NETWORK = """
for each in server mobile; do ip netns add $each; ip -n $each link set lo up; done
ip link set lo up
ip link add eth0 type veth peer name eth0 netns server
ip link add wl0 type veth peer name eth0 netns mobile
ip address add 198.51.100.1/24 dev eth0
ip address add 10.45.0.1/16 dev wl0
ip address add 2001:db8:100::1/64 dev eth0 nodad
ip address add 2001:db8:45::1/48 dev wl0 nodad
ip -n server address add 198.51.100.2/24 dev eth0
ip -n mobile address add 10.45.0.77/16 dev eth0
for each in eth0 wl0; do ip link set $each up; done
for each in server mobile; do ip -n $each link set eth0 up; done
ip -n server route add default via 198.51.100.1
ip -n mobile route add default via 10.45.0.1
python3 /root/offloads.py wl0
ip netns exec mobile python3 /root/offloads.py eth0
mkdir /srv/www; head -c 100000 /dev/urandom > /srv/www/file
systemd-run --quiet ip netns exec server python3 -m http.server --directory /srv/www 8000
"""
"""The page's first part, without the radio."""

DOWNLOAD = """
ip netns exec mobile curl -sS -m 120 -o /root/got http://198.51.100.2:8000/file
cmp /root/got /srv/www/file && echo same
"""


def program() -> Path | None:
    """Return the newest built program."""
    found = [TARGET / profile / UNIT for profile in ("debug", "release")]
    return max(
        (file for file in found if file.exists()), key=lambda it: it.stat().st_mtime, default=None
    )


def control_groups() -> Path | None:
    """Return the mount point of cgroup v2."""
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(place)
    return None


SKIP = reason_to_skip() or next(
    (
        f"needs {what}"
        for what, there in [
            ("systemd", SYSTEMD.exists()),
            ("cgroup2", control_groups()),
            (f"{UNIT}: cargo build -p daemon --bin {UNIT}", program()),
            *((name, shutil.which(name)) for name in ("curl", "unshare", "nsenter")),
        ]
        if not there
    ),
    None,
)
pytestmark = pytest.mark.skipif(SKIP is not None, reason=str(SKIP))


@dataclass(frozen=True)
class Machine:
    """A machine with systemd, with the PID of its first process."""

    first: int

    def command(self, *words: str) -> list[str]:
        enter = ["nsenter", "-t", str(self.first), "-a", "env", "-i", f"PATH={PATH}", "HOME=/root"]
        return [*enter, *words]

    def run(self, script: str) -> str:
        """Run lines of a shell; return what they print."""
        done = subprocess.run(
            self.command("bash", "-c", f'sudo() {{ "$@"; }}; cd {CLONE}\n{script}'),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return done.stdout

    def write(self, path: str, content: bytes) -> None:
        words = self.command("bash", "-c", f"mkdir -p $(dirname {path}); cat > {path}")
        subprocess.run(words, input=content, timeout=LIMIT_S, check=True)

    def service(self, name: str) -> str:
        return self.run(f"systemctl show -p {name} --value {UNIT}").strip()

    def signal(self, number: signal.Signals, process: str) -> None:
        self.run(f"kill -{number} {process}")

    def told(self, event: str) -> list[dict[str, object]]:
        lines = self.run(f"journalctl -u {UNIT} -o cat --no-pager").splitlines()
        events = [json.loads(line) for line in lines if line.startswith('{"time"')]
        return [each for each in events if each["event"] == event]


def until(what: Callable[[], bool], limit_s: float) -> None:
    start_s = time.monotonic()
    while not what():
        assert time.monotonic() - start_s < limit_s, "it never came about"
        time.sleep(PAUSE_S)


@contextmanager
def booted() -> Iterator[Machine]:
    """Everything ends with its first process, and that with `unshare`."""
    mounted = control_groups()
    assert mounted is not None
    group = mounted / f"tp-service-{os.getpid()}"
    own = ["--pid", "--mount", "--uts", "--ipc", "--net", "--cgroup", "--fork", "--kill-child"]
    enter = f"echo $$ > {group}/cgroup.procs; exec unshare {' '.join(own)} --mount-proc"
    with TemporaryDirectory() as folder:
        group.mkdir()
        process = subprocess.Popen(
            ["bash", "-c", f'{enter} --propagation private bash "$@"', "-", str(BOOT), folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            until(lambda: bool(children.read_text(encoding="ascii").split()), BOOTED_S)
            [first] = children.read_text(encoding="ascii").split()
            yield Machine(int(first))
        finally:
            process.kill()
            process.communicate()
            # The last processes leave the cgroup a moment later.
            until(lambda: _is_removed(group), BOOTED_S)


def _is_removed(group: Path) -> bool:
    for each in sorted(group.glob("**/"), reverse=True):
        with suppress(OSError):
            each.rmdir()
    return not group.exists()


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """Boot a machine with the network and the clone that the page has."""
    with booted() as made:
        built = program()
        assert built is not None
        start_s = time.monotonic()
        while made.run("systemctl is-system-running").split()[-1:] not in UP:
            if time.monotonic() - start_s > BOOTED_S:
                pytest.skip("systemd does not boot in namespaces here")
            time.sleep(PAUSE_S)
        made.write(f"{CLONE}/target/dist/{UNIT}", built.read_bytes())
        for file in (ROOT / "packaging").iterdir():
            made.write(f"{CLONE}/packaging/{file.name}", file.read_bytes())
        made.write("/root/offloads.py", Path(offloads.__file__).read_bytes())
        assert "rror" not in made.run(NETWORK)
        yield made


def lines(title: str) -> list[str]:
    """Return the commands of a part of the page."""
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    part = page.split(f"## {title}\n")[1].split("\n## ")[0]
    found = re.findall(r"^(?: {4}){1,2}((?:sudo|printf|systemctl|curl|cargo) .*)$", part, re.M)
    return [line for line in found if not line.startswith("cargo")]


@pytest.fixture(scope="module")
def printed(machine: Machine) -> dict[str, str]:
    """Run the lines of the page in order, and return the output of each."""
    told = {}
    for line in lines("On a router"):
        if "--mobiles" in line:
            told["download"] = machine.run(DOWNLOAD)
        told[line] = machine.run(f"{line}; echo status $?")
    return told


def test_it_is_installed_started_and_serves(machine: Machine, printed: dict[str, str]) -> None:
    of = {line.removeprefix("sudo "): told for line, told in printed.items()}
    check = of[f"{UNIT} --config /etc/thinpipe/proxy.toml --check"]
    assert "status 0" in check
    assert "error: " not in check
    assert "status 0" in of[f"systemctl enable --now {UNIT}"]
    assert "active (running)" in of[f"systemctl status {UNIT}"]
    assert "same" in printed["download"]
    [status] = [told for line, told in of.items() if "--mobiles" in line]
    assert re.search(r"^taken since the worker started +1$", status, re.M)
    [metrics] = [told for line, told in of.items() if line.startswith("curl")]
    assert 'thinpipe_connections_total{profile="gprs",result="taken"} 1\n' in metrics
    assert machine.service("ActiveState") == "active"
    assert machine.service("NRestarts") == "0"
    # Supervisor and worker.
    assert machine.run(f"ps -C {UNIT} -o ni=").split() == ["-10", "-10"]


def test_a_reload_says_what_is_wrong(machine: Machine, printed: dict[str, str]) -> None:
    del printed
    file = "/etc/thinpipe/proxy.toml"
    before = len(machine.told("reloaded"))
    machine.run(f"cp {file} /root/good; echo nonsense = 1 >> {file}; systemctl reload {UNIT}")
    until(lambda: len(machine.told("reload refused")) == 1, LIMIT_S)
    assert "log.nonsense: unknown key" in str(machine.told("reload refused")[0]["why"])
    machine.run(f"cp /root/good {file}; systemctl reload {UNIT}")
    until(lambda: len(machine.told("reloaded")) == before + 1, LIMIT_S)
    assert machine.service("NRestarts") == "0"


def test_it_can_do_little_else(machine: Machine, printed: dict[str, str]) -> None:
    """Two capabilities, one device, no files, and only the system calls of services."""
    del printed
    first = machine.service("MainPID")
    status = machine.run(f"cat /proc/{first}/status")
    for line in [r"CapEff:\t0+3000", r"CapBnd:\t0+3000", r"NoNewPrivs:\t1", r"Seccomp:\t2"]:
        assert re.search(f"^{line}$", status, re.M), line
    assert "\nUid:\t0" not in status
    mounted = machine.run(f"nsenter -t {first} -m findmnt -no OPTIONS /")
    assert mounted.startswith("ro,")


def test_a_device_that_is_deleted_is_made_anew(machine: Machine, printed: dict[str, str]) -> None:
    """An ordinary user may, if the device node has udev's mode."""
    del printed
    before = len(machine.told("serving"))
    machine.run("ip link delete thinpipe0")
    until(lambda: len(machine.told("serving")) == before + 1, LIMIT_S)
    assert "same" in machine.run(DOWNLOAD)
    assert machine.service("NRestarts") == "0"


@pytest.mark.parametrize(
    ("number", "within_s"),
    [(signal.SIGKILL, WATCHDOG_S), (signal.SIGSTOP, 2 * WATCHDOG_S)],
)
def test_systemd_starts_it_again(
    machine: Machine, printed: dict[str, str], number: signal.Signals, within_s: float
) -> None:
    del printed
    before = machine.service("MainPID")
    machine.signal(number, before)
    served = len(machine.told("serving"))
    until(lambda: len(machine.told("serving")) > served, within_s)
    assert machine.service("MainPID") != before
    assert machine.service("ActiveState") == "active"
    assert "same" in machine.run(DOWNLOAD)


def test_a_drain_may_take_longer_than_systemd_would_wait(
    machine: Machine, printed: dict[str, str]
) -> None:
    del printed
    machine.run(
        f"mkdir -p /run/systemd/system/{UNIT}.service.d\n"
        f"printf '[Service]\\nTimeoutStopSec=2\\n' > /run/systemd/system/{UNIT}.service.d/o.conf\n"
        "sed -i '1i drain = \"8 s\"' /etc/thinpipe/proxy.toml\n"
        f"systemctl daemon-reload; systemctl restart {UNIT}\n"
        "head -c 20000000 /dev/zero > /srv/www/large\n"
        "tc qdisc add dev wl0 root tbf rate 40kbit burst 4kb limit 60kb"
    )
    large = "ip netns exec mobile curl -sS -m 40 -o /dev/null http://198.51.100.2:8000/large"
    with subprocess.Popen(machine.command("bash", "-c", large), stderr=subprocess.PIPE) as busy:
        time.sleep(2)
        machine.run(f"systemctl stop {UNIT}")
        _, said = busy.communicate(timeout=LIMIT_S)
    assert b"reset by peer" in said
    assert machine.service("Result") == "success"
    assert machine.told("stopped")


def test_nothing_is_left_when_it_is_taken_away(machine: Machine, printed: dict[str, str]) -> None:
    del printed
    machine.run(f"systemctl start {UNIT}")
    assert "lookup 101" in machine.run("ip rule")
    for line in lines("Taking it away"):
        assert "status 0" in machine.run(f"{line}; echo status $?"), line
    assert "lookup 101" not in machine.run("ip rule; ip -6 rule")
    assert "thinpipe0" not in machine.run("ip link")
    assert machine.run("ip route show table 101").strip() == ""
    assert "not-found" in machine.service("LoadState")
