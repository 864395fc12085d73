"""Make a test bed from its plan: nodes, wires, emulator and proxy."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from thinpipe import _core
from thinpipe.emulation_record import EmulationRecord
from thinpipe.programs import lacking
from thinpipe.testbed.ends import BedError
from thinpipe.testbed.nodes import THINPIPE, Node, stop, wait_until
from thinpipe.testbed.plan import Link, Plan, Proxy
from thinpipe.testbed.wires import EMULATED, Nodes, connect, verify


@dataclass(slots=True)
class Bed:
    """A test bed, made by `bed`.

    Attributes
    ----------
    plan
        The plan that it was made from.
    folder
        A temporary directory with its files, removed after the block.
    nodes
        Its namespaces.
    emulator, daemon
        The processes of emulator and proxy, if planned.
    record
        The emulator's record; available after `finish` or the block.
    started_s
        When it was made, on the monotonic clock.
    """

    plan: Plan
    folder: Path
    nodes: Nodes
    emulator: subprocess.Popen[str] | None = None
    daemon: subprocess.Popen[str] | None = None
    record: EmulationRecord | None = None
    started_s: float = field(default_factory=time.monotonic)

    @property
    def host(self) -> Node:
        """The node of servers."""
        return self.nodes.host

    @property
    def router(self) -> Node:
        """The node of the daemon."""
        return self.nodes.router

    @property
    def mobile(self) -> Node:
        """The node of clients."""
        return self.nodes.mobile

    @property
    def config(self) -> Path:
        """The daemon's configuration."""
        return self.folder / "proxy.toml"

    @property
    def log(self) -> Path:
        """The daemon's log."""
        return self.folder / "proxy.log"

    @property
    def packets(self) -> Path:
        """The emulator's log, one row per packet; written when the emulator ends."""
        return self.folder / "packets.jsonl"

    @property
    def captures(self) -> Path:
        """The emulator's captures, if planned; written when the emulator ends."""
        return self.folder / "captures"

    def status(self) -> dict[str, Any]:
        """Return the daemon's status, as ``thinpipe proxy status --json`` prints it.

        Raises
        ------
        BedError
            If the daemon does not answer.
        """
        try:
            status: dict[str, Any] = json.loads(_core.proxy_status(self.config))
        except _core.ProxyError as error:
            raise BedError(str(error)) from error
        return status

    def start_proxy(self, proxy: Proxy) -> subprocess.Popen[str]:
        """Start the daemon in the router, and return once packets are routed to it.

        Raises
        ------
        BedError
            If it ended, or took longer than 120 s.
        """
        self.config.write_text(configuration(proxy, self.folder), encoding="utf-8")
        before = self._serving()
        with self.log.open("a", encoding="utf-8") as log:
            self.daemon = self.router.popen(
                [*proxy.program, "--config", str(self.config)],
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )
        wait_until(
            lambda: self._serving() >= before + proxy.workers,
            self.daemon,
            lambda: self.log.read_text(encoding="utf-8"),
        )
        return self.daemon

    def finish(self) -> EmulationRecord | None:
        """End the emulator, which writes its files, and return its record."""
        if self.emulator is not None and self.record is None:
            stop(self.emulator)
            record = self.folder / "record.json"
            if record.exists():
                self.record = EmulationRecord.from_json(record.read_text(encoding="utf-8"))
        return self.record

    def _serving(self) -> int:
        """Count how often a daemon has said that packets are diverted to a worker from now on.

        Its routes are there before its rules, and those of one version of IP before the other's.
        """
        said = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        return said.count('"event":"serving"')


DEVICE: Final = "thinpipe0"
"""The default name of the daemon's device."""


def configuration(proxy: Proxy, folder: Path) -> str:
    """Return the daemon's configuration in a test bed, as TOML."""
    return f"""workers = {proxy.workers}
{proxy.keys}
[radio]
interfaces = ["wl0"]
[wired]
interfaces = ["wired0"]
[metrics]
listen = "127.0.0.1:9464"
[control]
socket = "{folder}/control"
{proxy.profiles}
"""


@contextmanager
def bed(plan: Plan) -> Iterator[Bed]:
    """Make a test bed, and remove it after the block with all programs in it.

    Parameters
    ----------
    plan
        Its components.

    Yields
    ------
    Bed
        With verified wires, and emulator and proxy running.

    Raises
    ------
    BedError
        If it cannot be made, or the kernel's configuration differs from the plan.
    """
    if lacks := lacking("ip", "nsenter", "unshare"):
        raise BedError(lacks)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="thinpipe-bed-")))
        folder.chmod(0o755)  # the daemon drops root
        host, router, mobile = (
            stack.enter_context(Node(name)) for name in ("host", "router", "mobile")
        )
        link = None if plan.link is None else stack.enter_context(Node("link"))
        made = Bed(plan, folder, Nodes(host, router, mobile, link))
        connect(plan, made.nodes)
        verify(plan, made.nodes)
        if plan.link is not None and link is not None:
            made.emulator = _emulate(made, plan.link, link)
        if plan.proxy is not None:
            made.start_proxy(plan.proxy)
        try:
            yield made
        finally:
            made.finish()


def _emulate(made: Bed, link: Link, node: Node) -> subprocess.Popen[str]:
    """Start the emulator, and return once it forwards packets."""
    words = [*THINPIPE, "emulate", os.fspath(link.scenario), "--quiet", f"--seed={link.seed}"]
    words += [f"--set={key}={value}" for key, value in link.settings]
    words += [f"--mtu={made.plan.radio_mtu}", f"--record={made.folder / 'record.json'}"]
    words += [f"--log={made.packets}"]
    words += [f"--pcap={made.captures}"] if made.plan.capture else []
    words += ["--between", *EMULATED]
    log = made.folder / "emulator.log"
    with log.open("w", encoding="utf-8") as said:
        emulator = node.popen(words, stderr=said, stdout=said, text=True)
    wait_until(
        lambda: all(_is_promiscuous(node, each) for each in EMULATED),
        emulator,
        lambda: log.read_text(encoding="utf-8"),
    )
    return emulator


def _is_promiscuous(node: Node, interface: str) -> bool:
    flags = node.path(f"/sys/class/net/{interface}/flags").read_text(encoding="ascii")
    return bool(int(flags, 16) & IFF_PROMISC)


IFF_PROMISC: Final = 0x100
"""linux/if.h"""


def missing() -> str | None:
    """Try a test bed; return in one line why it fails on this machine, ``None`` if it works."""
    if os.geteuid() != 0:
        return "needs root"
    if not Path("/dev/net/tun").exists():
        return "needs /dev/net/tun"
    try:
        with bed(Plan()) as made:
            made.host.run(["ip", "link"])
    except (BedError, OSError) as error:
        return str(error)
    return None
