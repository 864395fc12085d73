"""``thinpipe doctor``: what this machine lacks, and for what."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe.cli import arguments
from thinpipe.programs import lacking
from thinpipe.signals import signals_deferred


@dataclass(frozen=True, slots=True)
class Finding:
    """A part of the program, why it does not work here if so, and what to do."""

    part: str
    lacks: str | None
    remedy: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the program, and how to find what it lacks: a reason, ``None`` if nothing."""

    name: str
    look: Callable[[], str | None]
    remedy: str


def _emulation() -> str | None:
    with signals_deferred():
        from thinpipe.emulation import unavailable
    return unavailable()


def _testbed() -> str | None:
    with signals_deferred():
        from thinpipe.testbed import missing
    return missing()


def _daemon() -> str | None:
    if not Path("/dev/net/tun").exists():
        return "needs /dev/net/tun"
    return lacking("ip", "nft")


def _vpn() -> str | None:
    return lacking("wireguard-go", "wg")


def _modules(*names: str) -> Callable[[], str | None]:
    def look() -> str | None:
        lacks = [name for name in names if find_spec(name) is None]
        return f"needs {', '.join(lacks)}" if lacks else None

    return look


APT: Final = "as root: apt-get install iproute2 nftables util-linux; modprobe tun"
VPN: Final = "as root: apt-get install wireguard-go wireguard-tools"
QUIC: Final = "pip install 'thinpipe[quic]'"
PARTS: Final = (
    Part("run, sweep, plot, show, reproduce", lambda: None, ""),
    Part("emulate", _emulation, f"{APT}; or let users have namespaces: docs/emulator.md"),
    Part("reproduce emulation, reproduce proxy, thinpipe.testbed", _testbed, APT),
    Part("reproduce proxy, QUIC in thinpipe.testbed", _modules("aioquic"), QUIC),
    Part("reproduce proxy, VPN in thinpipe.testbed", _vpn, VPN),
    Part("proxy (more by thinpipe proxy --check)", _daemon, APT),
    Part("lab", _modules("starlette", "uvicorn", "websockets"), "pip install 'thinpipe[lab]'"),
    Part("sweep --scheduler", _modules("distributed"), "pip install 'thinpipe[dask]'"),
    Part("tables for pandas", _modules("pandas"), "pip install 'thinpipe[pandas]'"),
    Part(
        "captures in Wireshark",
        lambda: None if shutil.which("tshark") or shutil.which("wireshark") else "needs wireshark",
        "as root: apt-get install wireshark",
    ),
)


def findings() -> Iterator[Finding]:
    """Look at each part."""
    for part in PARTS:
        lacks = part.look()
        yield Finding(part.name, lacks, part.remedy if lacks else None)


def doctor(*, json: Annotated[bool, arguments.AS_JSON] = False) -> None:
    """Say what this machine lacks, for which part, and what installs it; exit status 1 if so."""
    found = []
    for each in findings():
        found.append(each)
        if not json:
            typer.echo(f"{'lacks' if each.lacks else 'ok':<6} {each.part}")
            if each.lacks:
                typer.echo(f"       {each.lacks}\n       {each.remedy}")
    if json:
        arguments.print_json([asdict(each) for each in found])
    if any(each.lacks for each in found):
        raise typer.Exit(1)
