"""`thinpipe proxy --check` reports on a machine without changing it."""

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.conftest import ip, reason_to_skip

SKIP = reason_to_skip()
pytestmark = pytest.mark.skipif(SKIP is not None, reason=str(SKIP))

NUMBERS = itertools.count()
LIMIT_S = 30
OF_MODE = "/dev/net/tun is of mode "
DEVICE_MODE = f"warning: {OF_MODE}"
CONFIG = """
radio.interfaces = ["wl0"]
wired.interfaces = ["eth0"]
metrics.listen = "127.0.0.1:9464"
control.socket = "{socket}"
[[profile]]
name = "gprs"
mobiles = ["10.45.0.0/16", "2001:db8:45::/48"]
"""


@dataclass(frozen=True)
class Router:
    """A namespace with a wired and a radio interface, and a proxy's configuration."""

    namespace: str
    config: Path

    def ip(self, *words: str) -> None:
        ip("-n", self.namespace, *words)

    def within(self, *command: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["ip", "netns", "exec", self.namespace, *command],
            capture_output=True,
            text=True,
            input=text,
            timeout=LIMIT_S,
            check=False,
        )

    def set(self, key: str, value: int) -> None:
        done = self.within("sysctl", "-qw", f"net.{key}={value}")
        assert done.returncode == 0, done.stderr

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "thinpipe", "proxy", "--config", str(self.config)]

    def start(self, before: str = ":") -> list[dict[str, str]]:
        """Serve after a command until all is set up, and return the log."""
        # `ip netns exec` makes a mount namespace.
        script = f'{before}; exec timeout {LIMIT_S} "$@"'
        command = ["ip", "netns", "exec", self.namespace, "sh", "-c", script, "sh", *self.command]
        log: list[dict[str, str]] = []
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            for line in process.stderr:
                log.append(json.loads(line))
                if log[-1]["event"] == "serving":
                    process.terminate()
        return log

    def check(self) -> tuple[int, list[str]]:
        """Return the exit status and what is not as it should be, whoever may open the device."""
        status, lines = self.check_all()
        return status, [line for line in lines if not line.startswith(DEVICE_MODE)]

    def check_all(self) -> tuple[int, list[str]]:
        done = self.within(*self.command, "--check")
        assert not done.stderr, done.stderr
        lines = done.stdout.splitlines()
        return done.returncode, [line for line in lines if not line.startswith("ok: ")]


@pytest.fixture
def readable() -> Iterator[Path]:
    """Make a directory that everybody may read, as pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


@pytest.fixture
def router(tmp_path: Path, readable: Path) -> Iterator[Router]:
    namespace = f"tp-host-{os.getpid()}-{next(NUMBERS)}"
    config = readable / "proxy.toml"
    config.write_text(CONFIG.format(socket=tmp_path / "control"))
    router = Router(namespace, config)
    ip("netns", "add", namespace)
    try:
        router.ip("link", "set", "lo", "up")
        # Link-local addresses and their routes would appear later.
        router.set("ipv6.conf.default.addr_gen_mode", 1)
        for ours, theirs in [("eth0", "far0"), ("wl0", "far1")]:
            router.ip("link", "add", ours, "type", "veth", "peer", "name", theirs)
            router.ip("link", "set", ours, "up")
            router.ip("link", "set", theirs, "up")
        router.ip("address", "add", "198.51.100.1/24", "dev", "eth0")
        router.ip("address", "add", "2001:db8:100::1/64", "dev", "eth0", "nodad")
        router.ip("address", "add", "10.45.0.1/16", "dev", "wl0")
        router.ip("address", "add", "2001:db8:45::1/48", "dev", "wl0", "nodad")
        router.ip("route", "add", "default", "via", "198.51.100.2")
        router.ip("route", "add", "::/0", "via", "2001:db8:100::2")
        router.set("ipv4.ip_forward", 1)
        router.set("ipv6.conf.all.forwarding", 1)
        router.set("ipv4.conf.all.rp_filter", 0)
        yield router
    finally:
        ip("netns", "delete", namespace)


def state(router: Router) -> list[str]:
    listings = [["rule"], ["-6", "rule"], ["route", "show", "table", "all"], ["link"]]
    return [router.within("ip", *words).stdout for words in listings]


def settled(router: Router) -> list[str]:
    """Wait until the kernel has added all routes of new links."""
    for _ in range(50):
        before = state(router)
        time.sleep(0.1)
        if state(router) == before:
            return before
    pytest.fail("the router does not come to rest")


def test_a_fit_machine_is_left_as_it_is(router: Router) -> None:
    before = settled(router)
    assert router.check() == (0, [])
    assert state(router) == before


@pytest.mark.parametrize(
    ("change", "status", "expected"),
    [
        ("sysctl -qw net.ipv4.ip_forward=0", 2, "error: wl0 does not forward IPv4: say"),
        ("sysctl -qw net.ipv6.conf.all.forwarding=0", 2, "error: IPv6 is not forwarded: say"),
        ("sysctl -qw net.ipv4.conf.all.rp_filter=1", 2, "error: net.ipv4.conf.all.rp_filter = 1"),
        ("ip link set wl0 down", 2, "error: wl0 is down: say `ip link set wl0 up`"),
        ("ip link delete wl0", 2, "error: there is no interface wl0"),
        ("ip route add 10.45.0.0/24 dev eth0", 2, "error: 10.45.0.0/16: 10.45.0.4 is reached by"),
        ("ip route add 1.0.0.0/8 dev lo table 101", 2, "error: routing.table: table 101 has"),
        ("ip route replace default dev far0", 0, "warning: the IPv4 default route leads to far0"),
        ("ip route delete default", 0, "warning: there is no IPv4 default route"),
        ("ip rule add pref 9 lookup 7", 0, "warning: the IPv4 rule 9 stands ahead"),
        ("ip rule add pref 1000 lookup 101", 0, "warning: 1 IPv4 rules and routes of a proxy"),
        ("ip link set wl0 mtu 1000", 2, "warning: IPv6 takes packets of 1280 B"),
        ("ip tuntap add thinpipe0 mode tun", 0, "warning: thinpipe0 is there already"),
    ],
)
def test_what_is_wrong_is_told(router: Router, change: str, status: int, expected: str) -> None:
    done = router.within(*change.split())
    assert done.returncode == 0, done.stderr
    got, lines = router.check()
    assert any(line.startswith(expected) for line in lines), lines
    assert got == status, lines


def test_a_device_that_only_root_may_make_is_told(router: Router) -> None:
    """Its mode is 666 if udev makes it, and 600 by default."""
    mode = Path("/dev/net/tun").stat().st_mode & 0o777
    told = [line for line in router.check_all()[1] if line.startswith(DEVICE_MODE)]
    assert len(told) == (mode & 0o006 != 0o006)
    router.config.write_text(f'user = "root"\n{router.config.read_text()}')
    status, [told_of_user] = router.check_all()
    assert (status, told_of_user.startswith('warning: user = "root"')) == (0, True)


def test_a_budget_for_less_than_a_mobile_is_told(router: Router) -> None:
    router.config.write_text(f'{router.config.read_text()}middlebox.kind = "w-tcp"\n')
    # 4096 segments of 1460 B each.
    expected = "warning: profile gprs: w-tcp sets 5980160 B aside for a connection, so that "
    status, [line] = router.check()
    assert line.startswith(f"{expected}limits.bytes has room for 42 of all mobiles")
    assert status == 0


def test_what_is_wrong_is_in_the_log_of_a_start(router: Router) -> None:
    router.set("ipv4.ip_forward", 0)
    router.ip("route", "delete", "default")
    log = [line for line in router.start() if not line.get("why", "").startswith(OF_MODE)]
    events = ["started", "host", "host", "worker started", "serving"]
    assert [line["event"] for line in log[: len(events)]] == events
    told = [(line["gravity"], line["why"].split(":")[0]) for line in log[1:3]]
    expected = "there is no IPv4 default route"
    assert told == [("error", "wl0 does not forward IPv4"), ("warning", expected)]


def test_a_file_of_the_device_is_made_where_there_is_none(router: Router) -> None:
    hide = "mount -t tmpfs none /dev/net"
    done = router.within("sh", "-c", f'{hide}; exec "$@"', "sh", *router.command, "--check")
    told = [line for line in done.stdout.splitlines() if not line.startswith("ok: ")]
    why = "no /dev/net/tun: say `modprobe tun`, or give the container that device"
    assert (done.returncode, told) == (0, [f"warning: {why}"])
    log = router.start(hide)
    assert [line["why"] for line in log if line["event"] == "host"] == [why]
    assert "serving" in [line["event"] for line in log]


def test_ip_that_does_not_work_is_told_once(router: Router, tmp_path: Path) -> None:
    broken = tmp_path / "ip"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    broken.chmod(0o755)
    path = f"PATH={tmp_path}:{os.environ['PATH']}"
    done = router.within("env", path, *router.command, "--check")
    told = [line for line in done.stdout.splitlines() if "ip`" in line]
    assert (done.returncode, told) == (2, ["error: `ip` was refused: broken"])


@pytest.mark.skipif(shutil.which("nft") is None, reason="needs nft")
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            "chain c { type filter hook forward priority 0; policy drop; }",
            "warning: the chain inet t c drops what no rule lets pass",
        ),
        (
            "chain c { type nat hook postrouting priority 100; oifname eth0 masquerade; }",
            "warning: a rule says masquerade",
        ),
        (
            "chain c { type filter hook prerouting priority -150; meta l4proto tcp "
            "tproxy ip to :5; }",
            "warning: a rule says tproxy",
        ),
    ],
)
def test_packet_filters_are_hinted_at(router: Router, rules: str, expected: str) -> None:
    done = router.within("nft", "-f", "-", text=f"table inet t {{\n{rules}\n}}\n")
    if done.returncode != 0:
        pytest.skip(f"this kernel has no such rules: {done.stderr.strip()}")
    status, lines = router.check()
    assert [line.startswith(expected) for line in lines] == [True], lines
    assert status == 0


def test_a_port_that_is_taken_is_told(router: Router) -> None:
    listener = (
        "import socket, sys; s = socket.create_server(('127.0.0.1', 9464)); "
        "print(flush=True); sys.stdin.read()"
    )
    command = ["ip", "netns", "exec", router.namespace, sys.executable, "-c", listener]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        status, lines = router.check()
        process.communicate(timeout=LIMIT_S)
    assert (status, len(lines)) == (2, 1), lines
    assert lines[0].startswith("error: metrics.listen: 127.0.0.1:9464: Address already in use")


def test_a_user_that_there_is_not_is_told(router: Router) -> None:
    router.config.write_text(f'user = "no-such-user"\n{router.config.read_text()}')
    status, lines = router.check()
    assert status == 2
    assert lines == [
        'error: user = "no-such-user": no such user: say '
        "`useradd --system --no-create-home no-such-user`"
    ]
