"""What the emulator creates in the operating system, and removes at its end."""

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from thinpipe.testbed import offloads

pytestmark = pytest.mark.usefixtures("own_network")

LIMIT_S = 300
"""Far above what anything takes, also on a busy machine."""
ROOT = Path(__file__).parent.parent.parent
EMULATE = [sys.executable, "-m", "thinpipe", "emulate", "link"]
NUMBERS = itertools.count()

REACH = """
import json, os, socket, sys

def reaches(host):
    try:
        socket.create_connection((os.environ.get(host, host), 9), timeout=10)
    except ConnectionRefusedError:
        return True
    except OSError:
        return False

print(json.dumps([reaches(host) for host in sys.argv[1:]]))
"""
"""Prints which hosts are reachable: one without a listener refuses the connection."""

GATEWAYS = ("THINPIPE_GATEWAY", "THINPIPE_GATEWAY6")
NO_TUN = "mount --bind /dev/null /dev/net/tun"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def ip(line: str) -> None:
    subprocess.run(["ip", *line.split()], check=True, capture_output=True, timeout=LIMIT_S)


class Host:
    """A network namespace that stands in for a machine's own."""

    def __init__(self, directory: Path):
        self.name = f"tp-{os.getpid()}-site-{next(NUMBERS)}"
        self.directory = directory

    def command(self, *words: str, before: str = "") -> list[str]:
        """Return what runs `words` here, `before` that in the same mount namespace."""
        script = f'{before or "true"} && exec "$@"'
        return ["ip", "netns", "exec", self.name, "sh", "-c", script, "sh", *words]

    def run(self, *words: str, before: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words, before=before),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
            cwd=ROOT,
        )

    def emulate(
        self, *command: str, options: tuple[str, ...] = (), before: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return self.run(*EMULATE, *options, "--", *command, before=before)

    def reach(self, *hosts: str, options: tuple[str, ...] = (), before: str = "") -> list[bool]:
        """Say which hosts can be reached from behind an emulated link."""
        done = self.emulate(sys.executable, "-c", REACH, *hosts, options=options, before=before)
        assert done.returncode == 0, done.stderr
        self.notes = done.stderr
        reached: list[bool] = json.loads(done.stdout)
        return reached

    def tables(self) -> str:
        return self.run("nft", "list", "tables").stdout


@pytest.fixture
def host(tmp_path) -> Iterator[Host]:
    made = Host(tmp_path)
    ip(f"netns add {made.name}")
    try:
        made.run("ip", "link", "set", "lo", "up")
        yield made
    finally:
        ip(f"netns delete {made.name}")


@pytest.fixture
def outside(host) -> Iterator[str]:
    """Connect the host to an uplink, and return an address there."""
    name = f"{host.name}-out"
    ip(f"netns add {name}")
    try:
        for words in (
            f"link add up0 type veth peer name out0 netns {name}",
            "address add 192.0.2.2/24 dev up0",
            "link set up0 up",
        ):
            ip(f"-n {host.name} {words}")
        for words in (
            "link set lo up",
            "address add 198.51.100.1/32 dev lo",
            "address add 192.0.2.1/24 dev out0",
            "link set out0 up",
        ):
            ip(f"-n {name} {words}")
        ip(f"-n {host.name} route add default via 192.0.2.1")
        yield "198.51.100.1"
    finally:
        ip(f"netns delete {name}")


# A fresh namespace.


def test_the_gateway_is_reached_over_both_families(host):
    assert host.reach(*GATEWAYS) == [True, True]
    assert "nothing can be reached beyond this host" in host.notes


def test_a_quiet_command_sends_nothing(host, tmp_path):
    record = tmp_path / "record.json"
    assert host.emulate("sleep", "2", options=("--record", str(record))).returncode == 0
    told = json.loads(record.read_text())
    assert [told[name]["entered"]["packets"] for name in ("down", "up")] == [0, 0]


def test_a_small_mtu_leaves_ipv6_out(host):
    assert host.reach("THINPIPE_GATEWAY", "fd74:7069:7000::1", options=("--mtu", "576")) == [
        True,
        False,
    ]
    assert "no IPv6: it takes an MTU of 1280 bytes, and here it is 576" in host.notes


@pytest.mark.parametrize(
    ("command", "status"),
    [("true", 0), ("exit 3", 3), ("kill -TERM $$", 128 + signal.SIGTERM)],
)
def test_the_exit_status_is_handed_on(host, command, status):
    assert host.emulate("sh", "-c", command).returncode == status


@pytest.mark.parametrize(("program", "status"), [("no-such-program", 127), ("/etc/passwd", 126)])
def test_what_cannot_run_is_told_apart(host, program, status):
    assert host.emulate(program).returncode == status


def test_signals_are_as_a_shell_would_leave_them(host):
    look = ["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"]
    outside = subprocess.run(look, capture_output=True, text=True, check=True)
    assert host.emulate(*look).stdout == outside.stdout


def test_five_fit_inside_each_other_and_no_sixth(host):
    innermost = [sys.executable, "-c", REACH, "100.64.0.1", "fd74:7069:7000::1", *GATEWAYS]
    inner = innermost
    for _ in range(4):
        inner = [*EMULATE, "--quiet", "--", *inner]
    done = host.emulate(*inner)
    assert (done.returncode, json.loads(done.stdout)) == (0, [True] * 4), done.stderr
    done = host.emulate(*EMULATE, "--quiet", "--", *inner)
    assert done.returncode == 2
    assert "five emulators are inside each other already" in done.stderr


def test_two_at_once_take_different_addresses(host):
    show = host.command(*EMULATE, "--quiet", "--", "sh", "-c", "echo $THINPIPE_GATEWAY; cat")
    both = [
        subprocess.Popen(show, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(2)
    ]
    # Each runs until its input ends.
    gateways = [process.stdout.readline().strip() for process in both if process.stdout]
    for process in both:
        process.communicate(timeout=LIMIT_S)
    assert sorted(gateways) == ["100.64.0.1", "100.64.128.1"]


# Without TUN, and without rights.


def test_veth_does_where_there_is_no_tun(host):
    assert host.reach(*GATEWAYS, before=NO_TUN) == [True, True]
    assert "veth pairs do instead" in host.notes
    assert "tp-" not in host.run("ip", "link").stdout


def open_to_all() -> str:
    """Return a command that gives all users the program and ``/run``, in a mount namespace."""
    needed = [str(ROOT), sys.prefix, sys.base_prefix]
    lines = ["mount -t tmpfs -o mode=1777 tmpfs /run", "mkdir /run/kept"]
    for number, path in enumerate(needed):
        lines += [f"mkdir /run/kept/{number}", f"mount --bind {path} /run/kept/{number}"]
    closed = {
        next(
            (parent for parent in reversed(Path(path).parents) if not parent.stat().st_mode & 1), ""
        )
        for path in needed
    }
    lines += [f"mount -t tmpfs -o mode=755 tmpfs {parent}" for parent in closed if parent]
    for number, path in enumerate(needed):
        lines += [f"mkdir -p {path}", f"mount --bind /run/kept/{number} {path}"]
    return " && ".join(lines)


def as_nobody(host: Host, *command: str) -> str:
    """Return what a command behind a link prints that a user without any right has started."""
    if host.run(*NOBODY, "unshare", "-Urn", "true").returncode:
        pytest.skip("needs setpriv and user namespaces for all")
    done = host.run(*NOBODY, *EMULATE, "--", *command, before=open_to_all())
    assert done.returncode == 0, done.stderr
    assert "without root, nothing can be reached but the gateway" in done.stderr
    return done.stdout


def test_without_root_both_gateways_are_reached(host):
    assert as_nobody(host, sys.executable, "-c", REACH, *GATEWAYS) == "[true, true]\n"


def test_without_root_the_command_is_the_caller_and_may_set_up_its_network(host):
    """Databases and browsers refuse to be root; `ip` and an emulator inside need its rights."""
    set_up = "ip link add one type veth peer name other && ip -o link show one | wc -l"
    own = as_nobody(host, "sh", "-c", f"id -u; id -g; {set_up}")
    assert own.split() == ["65534", "65534", "1"]
    inside = shlex.join([*EMULATE, "--quiet", "--", "sh", "-c", "id -u; echo $THINPIPE_GATEWAY"])
    own, gateway = as_nobody(host, "sh", "-c", inside).split()
    assert own == "65534"
    assert gateway.startswith("100.64.")
    assert gateway != "100.64.0.1", "the emulator around it has that"


def test_without_user_namespaces_it_says_how_to_allow_them(host):
    # In its own user namespace the limit can be set for processes inside.
    limit = "echo 0 > /proc/sys/user/max_user_namespaces && ! unshare -U true 2>/dev/null"
    weak = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *EMULATE, "--", "true"]
    if host.run("unshare", "-Ur", "sh", "-c", limit).returncode:
        pytest.skip("needs a limit on user namespaces")
    done = host.run("unshare", "-Ur", "sh", "-c", f"{limit} && exec {shlex.join(weak)}")
    assert done.returncode == 2
    assert "user.max_user_namespaces=10000" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


# Beyond the host.


@pytest.mark.skipif(shutil.which("nft") is None, reason="needs nft")
def test_beyond_a_host_that_forwards_packets_are_masqueraded(host, outside):
    host.run("sysctl", "net.ipv4.ip_forward=1")
    assert host.reach(outside) == [True]
    assert "thinpipe" not in host.tables()
    # Nothing of the host's has changed: not even for IPv6, which it does not forward.
    assert host.run("sysctl", "-n", "net.ipv6.conf.all.forwarding").stdout == "0\n"


def test_beyond_a_host_that_does_not_forward_there_is_nothing(host, outside):
    host.run("sysctl", "net.ipv4.ip_forward=0")
    assert host.reach(outside) == [False]
    assert "sysctl net.ipv4.ip_forward=1" in host.notes


# Names.

SERVER = """
import socket, threading

udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.53", 53))
tcp = socket.create_server(("127.0.0.53", 53))
print("ready", flush=True)

def over_udp():
    while True:
        query, client = udp.recvfrom(65535)
        udp.sendto(query[:2] + b"\\x81" + query[3:] + b"over UDP", client)

threading.Thread(target=over_udp, daemon=True).start()
while True:
    client, _ = tcp.accept()
    query = client.recv(65535)[2:]
    answer = query[:2] + b"\\x81" + query[3:] + b"over TCP"
    client.sendall(len(answer).to_bytes(2, "big") + answer)
    client.close()
"""

ASK = """
import json, os, socket, sys

QUERY = b"\\xab\\xcd\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\1a\\0\\0\\1\\0\\1"
told = []
for gateway in (os.environ["THINPIPE_GATEWAY"], os.environ["THINPIPE_GATEWAY6"]):
    family = socket.AF_INET6 if ":" in gateway else socket.AF_INET
    udp = socket.socket(family, socket.SOCK_DGRAM)
    udp.settimeout(60)
    for junk in (b"", b"x", bytes(11), b"\\xff" * 12, os.urandom(500)[:2] + b"\\x80" * 498):
        udp.sendto(junk, (gateway, 53))
    udp.sendto(QUERY, (gateway, 53))
    told.append(udp.recv(65535).hex())
    for junk in (b"", b"\\0", b"\\0\\0", b"\\0\\5hello", b"\\xff\\xff" + bytes(999)):
        with socket.create_connection((gateway, 53), timeout=60) as tcp:
            tcp.sendall(junk)
    with socket.create_connection((gateway, 53), timeout=60) as tcp:
        for _ in range(2):
            tcp.sendall(len(QUERY).to_bytes(2, "big") + QUERY)
            told.append(tcp.recv(65535)[2:].hex())
print(json.dumps(told))
"""

QUESTION = "0001000000000000016100" + "00010001"


def resolv_conf(host, text: str) -> str:
    file = host.directory / "resolv.conf"
    file.write_text(text)
    return f"mount --bind {shlex.quote(str(file))} /etc/resolv.conf"


def test_names_are_asked_through_the_gateway(host):
    before = resolv_conf(host, "search example.org\nnameserver 127.0.0.53\n")
    server = subprocess.Popen(
        host.command(sys.executable, "-c", SERVER), stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        done = host.emulate(sys.executable, "-c", ASK, before=before)
        assert done.returncode == 0, done.stderr
        udp, *tcp = (f"abcd8100{QUESTION}{b'over '.hex()}{word.hex()}" for word in (b"UDP", b"TCP"))
        assert json.loads(done.stdout) == [udp, *tcp, *tcp] * 2
        shown = host.emulate("cat", "/etc/resolv.conf", before=before).stdout
        assert shown == "nameserver 100.64.0.1\nsearch example.org\n"
    finally:
        server.kill()
        server.communicate(timeout=LIMIT_S)


def test_a_name_server_that_cannot_be_reached_is_a_failure(host):
    before = resolv_conf(host, "nameserver 127.0.0.53\n")
    done = host.emulate(sys.executable, "-c", ASK, before=before)
    assert json.loads(done.stdout) == [f"abcd8102{QUESTION}"] * 6, done.stderr


def test_without_a_name_server_there_is_no_relay(host):
    before = resolv_conf(host, "search example.org\n")
    shown = host.emulate("cat", "/etc/resolv.conf", before=before).stdout
    assert shown == "search example.org\n"


# The end.


def running(word: str) -> list[int]:
    """Return the processes with this word in their command line."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(int(file.parent.name))
    return found


def test_what_is_left_behind_is_ended_and_counted(host, tmp_path):
    mark, record = f"{next(NUMBERS)}987654", tmp_path / "record.json"
    deaf = f"trap : TERM; sleep {mark} & wait; sleep {mark}"
    script = f"sh -c {shlex.quote(deaf)} & setsid env -i sleep {mark} & sleep 0.3"
    done = host.emulate("sh", "-c", script, options=("--record", str(record)))
    assert done.returncode == 0, done.stderr
    # The shell that does not listen, its child, and the one in a session and with an environment
    # of its own.
    assert json.loads(record.read_text())["left_behind"] == 3
    assert running(mark) == []


@pytest.mark.skipif(shutil.which("nft") is None, reason="needs nft")
def test_after_kill_9_the_next_start_removes_what_is_left(host, outside):
    assert outside
    host.run("sysctl", "net.ipv4.ip_forward=1")
    mark = f"{next(NUMBERS)}987654"
    script = f"setsid sleep {mark} & echo up; sleep {mark}"
    emulator = subprocess.Popen(
        host.command(*EMULATE, "--", "sh", "-c", script),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )
    stranger = subprocess.Popen(
        host.command("sleep", mark), env={**os.environ, "THINPIPE_TOKEN": "somebody else's"}
    )
    try:
        assert emulator.stdout is not None
        assert emulator.stdout.readline() == "up\n"
        # The shell has begun two, and the stranger is a third.
        deadline = time.monotonic() + LIMIT_S
        while len(running(mark)) < 3:
            assert time.monotonic() < deadline
        emulator.kill()
        emulator.wait(LIMIT_S)
        emulator.stdout.close()
        # The device disappears once the kernel has cleaned up.
        deadline = time.monotonic() + LIMIT_S
        while f"tp-{emulator.pid}" in host.run("ip", "link").stdout:
            assert time.monotonic() < deadline
        assert "thinpipe" in host.tables()
        # Its processes may be gone by now: an emulator that starts on any network ends them.
        assert host.emulate("true").returncode == 0
        assert "thinpipe" not in host.tables()
        assert running(mark) == [stranger.pid]
    finally:
        stranger.kill()
        stranger.wait(LIMIT_S)


# Between two interfaces.


@pytest.fixture
def unfinished_ends(host) -> Iterator[list[str]]:
    """Give the host two interfaces, and return the namespaces behind them.

    Checksums and segments are left to hardware that is not there.
    """
    names = [f"{host.name}-{letter}" for letter in "ab"]
    for name in names:
        ip(f"netns add {name}")
    try:
        for number, name in enumerate(names):
            ip(f"-n {host.name} link add if{number} type veth peer name end netns {name}")
            ip(f"-n {host.name} link set if{number} up")
            ip(f"-n {name} address add 10.9.0.{number + 1}/24 dev end")
            ip(f"-n {name} link set end up")
        yield names
    finally:
        for name in names:
            ip(f"netns delete {name}")


@pytest.fixture
def two_ends(unfinished_ends: list[str]) -> list[str]:
    """Return them once their offloads are off."""
    for name in unfinished_ends:
        ip(f"netns exec {name} {sys.executable} -S {offloads.__file__} end")
    return unfinished_ends


def test_frames_pass_between_two_interfaces(host, two_ends):
    process = subprocess.Popen(
        host.command(*EMULATE, "--between", "if0", "if1"),
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    reach = ["ip", "netns", "exec", two_ends[0], sys.executable, "-c", REACH, "10.9.0.2"]

    def reached() -> bool:
        done = subprocess.run(reach, capture_output=True, text=True, timeout=LIMIT_S, check=True)
        return done.stdout == "[true]\n"

    def soon_reached() -> bool:
        deadline = time.monotonic() + LIMIT_S
        while not (found := reached()) and time.monotonic() < deadline:
            pass
        return found

    try:
        assert soon_reached()
        assert "promiscuity 1" in host.run("ip", "-d", "link", "show", "if0").stdout
        # An interface that is down for a while does not end the emulator.
        ip(f"-n {host.name} link set if1 down")
        assert not reached()
        ip(f"-n {host.name} link set if1 up")
        assert soon_reached()
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, told
    assert "promiscuity 0" in host.run("ip", "-d", "link", "show", "if0").stdout


def test_frames_that_hardware_was_to_finish_are_an_error(host, unfinished_ends):
    emulator = subprocess.Popen(
        host.command(*EMULATE, "--between", "if0", "if1"),
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    there = ["ip", "netns", "exec", unfinished_ends[0]]
    reach = [*there, sys.executable, "-c", REACH, "10.9.0.2"]
    try:
        deadline = time.monotonic() + LIMIT_S
        while emulator.poll() is None and time.monotonic() < deadline:
            subprocess.run(reach, capture_output=True, timeout=LIMIT_S, check=True)
    finally:
        emulator.kill()
        _, told = emulator.communicate(timeout=LIMIT_S)
    assert emulator.returncode == 125
    assert "say `ethtool -K if0 gro off" in told


@pytest.mark.parametrize(
    ("before", "second", "message"),
    [
        ("true", "if0", "if0 is named twice: it takes two interfaces"),
        ("true", "nope", "there is no interface nope: see `ip link`"),
        ("true", "lo", "interface lo is not Ethernet"),
        ("ip link set if1 down", "if1", "say `ip link set if1 up`"),
        (
            "ip link add br0 type bridge && ip link set if1 master br0",
            "if1",
            "say `ip link set if1 nomaster`",
        ),
    ],
)
@pytest.mark.usefixtures("two_ends")
def test_an_interface_that_cannot_be_used_is_refused(host, before, second, message):
    done = host.run(*EMULATE, "--between", "if0", second, before=before)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
