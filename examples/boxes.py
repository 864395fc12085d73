"""Downloads over GPRS by what stands before it: 300 kB, 100 kB at 8 s and 10 kB at 16 s.

`python examples/boxes.py` prints the table of docs/middleboxes.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import thinpipe as tp
from thinpipe.scenario import Scenario

if TYPE_CHECKING:
    from thinpipe.point import Value

GROUPS: Final = '\n[[flow.group]]\nname = "second"\n[[flow.group]]\nname = "third"\n'

DOWNLOADS: Final[dict[str, Value]] = {
    "tcp.recovery": "rack",
    "tcp.congestion_control": "cubic",
    "tcp.initial_window": 10,
    "tcp.mss": "1448 B",
    "flow.bytes": "300 kB",
    "flow.opened_by": "receiver",
    "flow.group.second.bytes": "100 kB",
    "flow.group.second.start": "8 s",
    "flow.group.second.opened_by": "receiver",
    "flow.group.third.bytes": "10 kB",
    "flow.group.third.start": "16 s",
    "flow.group.third.opened_by": "receiver",
    "duration": "200 s",
}

FAIR: Final[dict[str, Value]] = {"queue.kind": "fair"}

ATCP: Final[dict[str, Value]] = {
    "middlebox.kind": "atcp",
    "middlebox.atcp.rate": "40 kbit/s",
    "middlebox.atcp.round_trip": "900 ms",
    "middlebox.atcp.clamp": "4700 B",
    "middlebox.atcp.fractions": True,
}

BEFORE_THE_RADIO: Final[dict[str, dict[str, Value]]] = {
    "drop-tail queue": {},
    "fair queue": FAIR,
    "i-tcp": {"middlebox.kind": "i-tcp"},
    "split": {"middlebox.kind": "split"},
    "split, fair queue": {"middlebox.kind": "split", **FAIR},
    "atcp": ATCP,
}


def main() -> None:
    """Print when each download was through, in s from its start, and the most that the box held."""
    link = tp.scenarios()["gprs-live-40"]
    scenario = Scenario(link.name, link.source + GROUPS)
    for name, settings in BEFORE_THE_RADIO.items():
        run = tp.run(scenario, DOWNLOADS | settings)
        ends = [flow.received_s or float("inf") for flow in run.flows]
        took = [f"{end - start:.1f} s" for end, start in zip(ends, (0, 8, 16), strict=True)]
        held = run.middlebox.held_max / 1000 if run.middlebox else 0
        print("|", " | ".join([name, *took, f"{held:.0f} kB"]), "|")


if __name__ == "__main__":
    main()
