"""A call beside four downloads behind an aggregating proxy: how much of its MOS is left.

What costs it is delay: the window's queue before the radio, and the packet that is being sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import thinpipe as tp
from thinpipe.scenario import Scenario

if TYPE_CHECKING:
    from typing import TypeAlias

    from thinpipe.point import Value

    Settings: TypeAlias = dict[str, Value]

CALL: Settings = {
    "flow.group.call.application": "voip",
    "flow.group.call.voip.codec": "amr-12.2",
    "flow.group.call.dscp": 46,
}

CLASS = '\n[[middlebox.atcp.classes]]\nname = "voice"\ndscp = 46\npriority = 1\n'

UMTS: Settings = {
    "middlebox.kind": "atcp",
    "middlebox.atcp.rate": "384 kbit/s",
    "middlebox.atcp.round_trip": "107 ms",
}
"""The round trip of a full packet over the radio, and the time of one more."""

GPRS: Settings = {
    "middlebox.kind": "atcp",
    "middlebox.atcp.rate": "40 kbit/s",
    "middlebox.atcp.round_trip": "900 ms",
    "middlebox.atcp.clamp": "5500 B",
}


def mos(scenario: str | Scenario, downloads: int, settings: Settings) -> float:
    """Return the MOS of a call of 90 s."""
    files: Settings = {"flow.group.file.bytes": "unlimited", "flow.group.file.count": downloads}
    common: Settings = {"tcp.profile": "modern", "flow.count": 0}
    run = tp.run(scenario, common | files | CALL | settings, duration="90 s")
    (call,) = (flow.voip for flow in run.result.flows if flow.voip is not None)
    assert call.mos is not None
    return call.mos


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_window_without_headroom(encrypted):
    """Rate times round trip and no more keeps a call without a class of its own.

    More is a queue, in which it stands.
    """
    alone = mos("umts-384", 0, {})
    unread: Settings = {"flow.group.file.encrypted": encrypted}
    fitting, wide = (
        mos("umts-384", 4, UMTS | unread | {"middlebox.atcp.clamp": clamp})
        for clamp in ("5056 B", "12480 B")
    )
    assert fitting >= alone - 0.2
    assert wide < alone - 0.5


@pytest.mark.parametrize("encrypted", [False, True])
def test_short_segments_over_a_slow_radio(encrypted):
    """At 40 kbit/s a full packet takes 0.3 s: a call of a class of its own waits for one."""
    link = tp.scenarios()["gprs-live-40"]
    scenario = Scenario(link.name, link.source + CLASS)
    alone = mos("gprs-live-40", 0, {})
    unread: Settings = {"flow.group.file.encrypted": encrypted}
    full, short = (
        mos(scenario, 4, GPRS | unread | {"tcp.mss": mss}) for mss in ("1448 B", "256 B")
    )
    assert short >= alone - 0.5
    assert full < alone - 0.5
