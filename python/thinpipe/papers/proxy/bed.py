"""A network to try the proxy in: host – router – link – mobile, each a network namespace.

    host 198.51.100.2 ── wired0 router wl0 ── emulated link ── mobile 10.45.0.2

and the same in IPv6. The daemon runs in the router, the emulator between its radio interface and
the mobile. Namespaces have no names: a process holds each, and ends it with all that runs in it
when this one dies, so that nothing is left behind and any number of beds stand side by side.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from thinpipe.emulation_record import EmulationRecord
from thinpipe.papers.proxy.nodes import THINPIPE, BedError, Node, end, soon
from thinpipe.papers.proxy.plan import Link, Plan, Proxy
from thinpipe.papers.proxy.wires import EMULATED, Nodes, assert_laid, lay


@dataclass(slots=True)
class Bed:
    """A bed that stands.

    Attributes
    ----------
    nodes
        Its namespaces.
    folder
        Where its files are.
    daemon
        The proxy's process, if there is one.
    record
        The emulator's record; known after the block.
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
        """Where servers run."""
        return self.nodes.host

    @property
    def router(self) -> Node:
        """Where the daemon runs."""
        return self.nodes.router

    @property
    def mobile(self) -> Node:
        """Where clients run."""
        return self.nodes.mobile

    @property
    def config(self) -> Path:
        """The daemon's configuration."""
        return self.folder / "proxy.toml"

    @property
    def log(self) -> Path:
        """What the daemon said."""
        return self.folder / "proxy.log"

    @property
    def packets(self) -> Path:
        """The emulator's log, a row for each packet; there once the emulator has ended."""
        return self.folder / "packets.jsonl"

    @property
    def captures(self) -> Path:
        """The emulator's captures, if they were planned; there once the emulator has ended."""
        return self.folder / "captures"

    def status(self) -> dict[str, Any]:
        """Return what ``thinpipe proxy status`` tells."""
        words = [*THINPIPE, "proxy", "status", "--config", str(self.config), "--json"]
        told: dict[str, Any] = json.loads(self.router.run(words).stdout)
        return told

    def start_proxy(self, proxy: Proxy) -> subprocess.Popen[str]:
        """Start the daemon, and return once packets are led to it.

        Raises
        ------
        BedError
            If it ended, or took too long.
        """
        self.config.write_text(configuration(proxy, self.folder), encoding="utf-8")
        with self.log.open("a", encoding="utf-8") as log:
            self.daemon = self.router.popen(
                [*proxy.program, "--config", str(self.config)],
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )
        soon(self.diverted, self.daemon, lambda: self.log.read_text(encoding="utf-8"))
        return self.daemon

    def finish(self) -> EmulationRecord | None:
        """End the emulator, so that its files are there, and return its record."""
        if self.emulator is not None and self.record is None:
            end(self.emulator)
            record = self.folder / "record.json"
            if record.exists():
                self.record = EmulationRecord.from_json(record.read_text(encoding="utf-8"))
        return self.record

    def diverted(self) -> bool:
        """Return whether packets are led to the daemon."""
        return any(
            route.get("dev") == DEVICE
            for route in self.router.shown("route", "show", "table", "all")
        )


DEVICE: Final = "thinpipe0"
"""The daemon's, unless its configuration says otherwise."""


def configuration(proxy: Proxy, folder: Path) -> str:
    """Return the daemon's configuration in a bed."""
    return f"""{proxy.keys}
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
    """Make a bed, and take it away after the block.

    Raises
    ------
    BedError
        If it does not come to stand.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="thinpipe-bed-")))
        folder.chmod(0o755)  # the daemon gives up being root
        host, router, mobile = (
            stack.enter_context(Node(name)) for name in ("host", "router", "mobile")
        )
        link = None if plan.link is None else stack.enter_context(Node("link"))
        made = Bed(plan, folder, Nodes(host, router, mobile, link))
        lay(plan, made.nodes)
        assert_laid(plan, made.nodes)
        if plan.link is not None and link is not None:
            made.emulator = _emulate(made, plan.link, link)
        if plan.proxy is not None:
            made.start_proxy(plan.proxy)
        try:
            yield made
        finally:
            made.finish()


def _emulate(made: Bed, link: Link, node: Node) -> subprocess.Popen[str]:
    """Start the emulator, and return once it carries."""
    words = [*THINPIPE, "emulate", os.fspath(link.scenario), "--quiet", f"--seed={link.seed}"]
    words += [f"--set={key}={value}" for key, value in link.settings]
    words += [f"--mtu={made.plan.radio_mtu}", f"--record={made.folder / 'record.json'}"]
    words += [f"--log={made.packets}"]
    words += [f"--pcap={made.captures}"] if made.plan.capture else []
    words += ["--between", *EMULATED]
    complaints = made.folder / "emulator.log"
    with complaints.open("w", encoding="utf-8") as said:
        emulator = node.popen(words, stderr=said, stdout=said, text=True)
    soon(
        lambda: all(node.shown("link", "show", each)[0]["promiscuity"] for each in EMULATED),
        emulator,
        lambda: complaints.read_text(encoding="utf-8"),
    )
    return emulator


def missing() -> str | None:
    """Return why there can be no bed on this machine; ``None`` if there can."""
    if os.geteuid() != 0:
        return "needs root"
    for program in ("ip", "nsenter", "unshare"):
        if shutil.which(program) is None:
            return f"needs {program}"
    if not Path("/dev/net/tun").exists():
        return "needs /dev/net/tun"
    try:
        with bed(Plan()) as made:
            made.host.run(["ip", "link"])
    except (BedError, OSError) as error:
        return str(error)
    return None
