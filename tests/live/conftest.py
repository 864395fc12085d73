"""Our endpoint and the kernel's, in their own network namespace."""

import ctypes
import itertools
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from thinpipe.emulation import unavailable
from thinpipe.testbed import missing
from thinpipe.testbed.packets import read_pcapng

LOCAL, REMOTE, PREFIX = "10.9.0.2:5000", "10.9.0.1:5001", "24"
LIMIT_S = 300
"""Far above what anything takes, also on a busy machine."""

ROOT = Path(__file__).parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

KERNEL_END = Path(__file__).parent / "kernel_end.py"
QUICK = {
    "tcp.profile": "none",
    "tcp.mss": "1460",
    "tcp.window": "1000",
    "tcp.tick": "0 s",
    "tcp.min_rto": "20 ms",
    "tcp.time_wait": "200 ms",
}
"""Settings of our endpoint for a path with a delay of 1 ms."""

NUMBERS = itertools.count()


def reason_to_skip() -> str | None:
    """Return why tests cannot make a namespace and a device on this machine."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "needs Linux and root"
    if not Path("/dev/net/tun").exists():
        return "needs /dev/net/tun"
    name = f"tp-probe-{os.getpid()}"
    try:
        made = ip("netns", "add", name, check=False)
    except FileNotFoundError:
        return "needs iproute2"
    ip("netns", "delete", name, check=False)
    return None if made.returncode == 0 else f"no namespaces: {made.stderr.strip()}"


def ip(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ip", *words], capture_output=True, text=True, timeout=LIMIT_S, check=check
    )


class Packet(NamedTuple):
    """A TCP segment of a capture."""

    time_s: float
    ours: bool
    seq: int
    ack: int
    flags: str
    window: int
    length: int
    mss: int | None
    scale: int | None
    sack_permitted: bool
    timestamps: tuple[int, int] | None
    sack: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Outcome:
    """The results of a connection: reports of both ends, and captures."""

    kernel: dict[str, Any]
    peer: dict[str, Any]
    status: int
    directory: Path = field(repr=False)

    @property
    def at_endpoint(self) -> list[Packet]:
        """What our endpoint sent and saw."""
        return read_capture(self.directory / "endpoint.pcapng")

    @property
    def at_kernel(self) -> list[Packet]:
        """What went over the device."""
        return read_capture(self.directory / "kernel.pcapng")


class Namespace:
    """A network namespace and the processes in it."""

    def __init__(self, name: str, program: Path, directory: Path):
        self.name, self.program, self.directory = name, program, directory
        self.processes: list[subprocess.Popen[str]] = []

    def sysctl(self, key: str, value: int) -> None:
        self.start(sys.executable, "-c", WRITE, f"/proc/sys/net/ipv4/{key}", str(value)).wait(9)

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a command within the namespace."""
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.name, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        return process

    def talk(
        self,
        opener: str,
        steps: list[str],
        options: dict[str, object] | None = None,
        settings: dict[str, str] | None = None,
    ) -> Outcome:
        """Have both ends talk: the kernel's follows `steps`, ours `options` and `settings`."""
        way = {"ours": "listen", "kernel": "connect"}[opener]
        kernel = self.start(sys.executable, str(KERNEL_END), way, REMOTE, LOCAL, *steps)
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n", kernel.stdout.read()
        peer = self.run_peer(opener, options or {}, settings or {})
        told, _ = kernel.communicate(timeout=LIMIT_S)
        said = peer.stderr.splitlines()[-1:]
        assert said, peer.returncode
        assert said[0].startswith("{"), peer.stderr
        return Outcome(json.loads(told), json.loads(said[0]), peer.returncode, self.directory)

    def run_peer(
        self, opener: str, options: dict[str, object], settings: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        given = {
            "device": "tp0",
            "namespace": self.name,
            "local": LOCAL,
            "remote": REMOTE,
            "prefix": PREFIX,
            "limit": LIMIT_S,
            "seed": 1,
            **options,
        }
        command = [str(self.program), *(["--listen"] if opener == "kernel" else [])]
        command += [word for name, value in given.items() for word in (f"--{name}", str(value))]
        for key, value in {**QUICK, **settings}.items():
            command += ["--set", f"{key}={value}"]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_S + 5, check=False
        )

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait(LIMIT_S)
            if process.stdout is not None:
                process.stdout.close()
        ip("netns", "delete", self.name)


@pytest.fixture(scope="session")
def testbed() -> None:
    """Skip where thinpipe.testbed cannot work."""
    reason = missing()
    if reason:
        pytest.skip(reason)


WRITE = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"


@pytest.fixture(scope="session")
def program() -> Path:
    """Return the path of `thinpipe-peer`, which `cargo test` builds; skip where it cannot run."""
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    made = TARGET / "debug" / "thinpipe-peer"
    if not made.exists():
        command = ["cargo", "test", "--test", "peers", "--no-run"]
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
    return made


@pytest.fixture
def namespace(program, tmp_path) -> Iterator[Namespace]:
    """Make a namespace, and remove it after the test."""
    name = f"tp-{os.getpid()}-{next(NUMBERS)}"
    ip("netns", "add", name)
    made = Namespace(name, program, tmp_path)
    try:
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def own_network() -> Iterator[None]:
    """Move this process into its own network namespace, as a host."""
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open("rb") as former:
        assert libc.unshare(CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        try:
            ip("link", "set", "lo", "up")
            yield
        finally:
            assert libc.setns(former.fileno(), CLONE_NEWNET) == 0


CLONE_NEWNET = 0x40000000
"""linux/sched.h"""


@pytest.fixture(scope="module")
def emulation(own_network) -> None:  # noqa: ARG001 - it is there by then
    """Skip where emulation does not work."""
    reason = unavailable()
    if reason:
        pytest.skip(reason)


def read_capture(file: Path) -> list[Packet]:
    """Read a capture of one interface with nanosecond timestamps (pcapng, raw IPv4)."""
    return [read_packet(time_s, data) for time_s, data in read_pcapng(file)]


FLAGS = "FSRPAUEC"


def read_packet(time_s: float, data: bytes) -> Packet:
    """Read an IPv4 packet that carries TCP."""
    ip_bytes = 4 * (data[0] & 15)
    source, _, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", data, ip_bytes)
    tcp_bytes = 4 * (offset >> 4)
    options = dict(read_options(data[ip_bytes + 20 : ip_bytes + tcp_bytes]))
    numbers = [
        struct.unpack(f">{len(options.get(kind, b'')) // 4}I", options.get(kind, b""))
        for kind in (TIMESTAMPS, SACK)
    ]
    timestamps, edges = numbers
    return Packet(
        time_s,
        source == int(LOCAL.rpartition(":")[2]),
        seq,
        ack,
        "".join(letter for bit, letter in enumerate(FLAGS) if flags >> bit & 1),
        window,
        struct.unpack_from(">H", data, 2)[0] - ip_bytes - tcp_bytes,
        int.from_bytes(options[MSS], "big") if MSS in options else None,
        options[SCALE][0] if SCALE in options else None,
        SACK_PERMITTED in options,
        (timestamps[0], timestamps[1]) if timestamps else None,
        tuple(zip(edges[::2], edges[1::2], strict=True)),
    )


END, NO_OPERATION, MSS, SCALE, SACK_PERMITTED, SACK, TIMESTAMPS = 0, 1, 2, 3, 4, 5, 8


def read_options(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data) and data[at] != END:
        if data[at] == NO_OPERATION:
            at += 1
            continue
        length = data[at + 1]
        yield data[at], data[at + 2 : at + length]
        at += length
