"""The set-up of the paper: a download to a mobile over GPRS, and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.point import Point
from thinpipe.scenario import Scenario, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from thinpipe.point import Value

RADIO: Final = "gprs-3+1"
"""Radio blocks, temporary block flows and polling: what the paper measured on."""

FOUR_SLOTS: Final = "gprs-4+1"

FIFO: Final = "gprs-fifo"
"""The same rates and delays as a plain queue, in which only TCP acts."""

SEEDS: Final = range(1, 11)
FEW: Final = SEEDS[:3]

KB: Final = 1024
"""Bytes of a KB: so read, 600 KB take the paper's 155 s at its 4.15 KB/s."""

MSS: Final = 1348
PACKET: Final = MSS + 40

BDP: Final = 10 * KB
"""Bytes that the paper marks as the bandwidth-delay product, §III."""

RATE: Final = 4150
"""B/s of the downlink with three slots, headers included, §II."""

Settings = tuple[tuple[str, "Value"], ...]

PLAIN: Final[Settings] = ()


def box(kind: str) -> Settings:
    """Return a box where the paper's proxy stood: at the far end of the tunnel, §V."""
    return (("middlebox.kind", kind), ("middlebox.at", "proxy"))


PROXY: Final = box("atcp")


def clamp(kb: int) -> Settings:
    """Return the proxy with a congestion window of so many KB."""
    return (*PROXY, ("middlebox.atcp.clamp", f"{kb * KB} B"))


def size(kb: int) -> Settings:
    """Return the size of a flow, given in KB."""
    return (("flow.bytes", f"{kb * KB} B"),)


def download(kb: int) -> Settings:
    """Return a download of so many KB, whose connection the mobile opens."""
    return (*size(kb), ("flow.opened_by", "receiver"))


def second(after_s: int, kb: int) -> Settings:
    """Return a second download that begins so many seconds after the first."""
    return (
        ("flow.group.second.start", f"{after_s} s"),
        ("flow.group.second.bytes", f"{kb * KB} B"),
        ("flow.group.second.opened_by", "receiver"),
    )


def point(scenario: str, *parts: Iterable[tuple[str, Value]], seed: int = 1) -> Point:
    """Return one run; a later part counts more. Groups and classes are those that settings name."""
    settings = {**dict(pair for part in parts for pair in part), "seed": seed}
    source = find(scenario).source + "".join(
        f'\n[[{kind}]]\nname = "{name}"\n' for kind, name in _named(settings)
    )
    return Point.of(Scenario(scenario, source), settings)


def _named(settings: Iterable[str]) -> list[tuple[str, str]]:
    """Return the members of lists of tables that keys name, each once."""
    found = [
        (kind, key.removeprefix(f"{kind}.").partition(".")[0])
        for key in settings
        for kind in ("flow.group", "middlebox.atcp.classes")
        if key.startswith(f"{kind}.")
    ]
    return list(dict.fromkeys(found))


def seeds(
    scenario: str, *parts: Iterable[tuple[str, Value]], among: Sequence[int] = SEEDS
) -> tuple[Point, ...]:
    """Return a run for each seed; the plain queue has no chance in it and runs once."""
    chosen = among[:1] if scenario == FIFO else among
    return tuple(point(scenario, *parts, seed=seed) for seed in chosen)
