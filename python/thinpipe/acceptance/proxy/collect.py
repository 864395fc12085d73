"""Run set-ups in test beds, and simulate each with the same start times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from thinpipe._core import EmulationError
from thinpipe.acceptance.proxy.beside import GROUP
from thinpipe.acceptance.proxy.carry import Carried, carry
from thinpipe.acceptance.proxy.experiments import SETUPS
from thinpipe.acceptance.proxy.mixing import VIDEO, VOICE, VPN, Mixed
from thinpipe.acceptance.proxy.seen import Seen, of_carried, of_simulated
from thinpipe.acceptance.proxy.setup import MORE_S, Setup, flow_key
from thinpipe.papers.outcomes import Outcome
from thinpipe.run import Run, run
from thinpipe.testbed import BedError
from thinpipe.testbed.processor import repeated

if TYPE_CHECKING:
    from thinpipe.point import Point, Value
    from thinpipe.testbed.container import Ready, Task

TRIES: Final = 2
"""Maximum number of attempts until nothing is late."""


@dataclass(frozen=True, slots=True)
class Compared(Outcome):
    """A set-up, run in a test bed and simulated with the same start times."""

    setup: Setup
    carried: Carried
    live: tuple[Seen, ...]
    simulated: tuple[Seen, ...]
    simulated_voice: tuple[float | None, ...] = ()
    """What frames of the simulated call took that were sent while TCP was under way, in s."""

    @property
    def starved(self) -> bool:
        """Whether the machine was too busy for an end or the proxy."""
        return self.carried.punctuality.starved


def task(point: Point) -> Task:
    """Return what runs the flows of `point` in a test bed."""
    return partial(_carry, SETUPS[_names()[point]])


def _carry(setup: Setup, ready: Ready) -> Carried:
    """Run a set-up until nothing was late."""
    try:
        return repeated(partial(carry, setup), ready, TRIES)
    except EmulationError as error:
        raise BedError(f"{_names()[setup.point]}: {error}") from error


def simulated(point: Point, carried: Carried) -> Compared:
    """Simulate a set-up whose flows start when those in the test bed did."""
    setup = SETUPS[_names()[point]]
    more = times(setup, carried.start_s)
    if carried.quic is not None:
        ahead_s = carried.flows[0].opened_s - carried.quic.opened_s
        more[f"flow.group.{GROUP}.start"] = f"{carried.start_s[0] - ahead_s:.9f} s"
    if carried.mixed is not None:
        more |= _beside(carried, carried.mixed)
    if setup.window_bytes is not None:
        more["tcp.receive_buffer"] = f"{carried.window_bytes} B"
    done = run(point.scenario, {**dict(point.settings), **more}, trace=True)
    outcome = Outcome(done.result, {"segments": done.segments})
    flows = of_simulated(outcome, len(setup.flows))
    voice = () if carried.mixed is None else _voice(done, flows[0])
    return Compared(done.result, {}, setup, carried, of_carried(carried), flows, voice)


def _voice(done: Run, tcp: Seen) -> tuple[float | None, ...]:
    """Return what frames of the simulated call took while TCP was under way."""
    [number] = [flow.id for flow in done.flows if flow.group == VOICE]
    start_s = float(dict(done.point.settings)["flow.start"].split()[0])
    rows = done.datagrams.filter(done.datagrams["flow"] == number)
    sent_s = rows["time_s"]
    meanwhile = rows.filter((sent_s >= start_s) & (sent_s <= start_s + tcp.last_s))
    return tuple(meanwhile["delay_s"].fill_nan(None))


def times(setup: Setup, start_s: Sequence[float]) -> dict[str, Value]:
    """Return the simulator's settings for flows that start so late on the link's clock.

    The clock runs while other set-ups are made.
    """
    starts: dict[str, Value] = {
        f"{flow_key(number)}.start": f"{each_s:.9f} s" for number, each_s in enumerate(start_s)
    }
    return {**starts, "duration": f"{start_s[0] + setup.lasts_s + MORE_S:.9f} s"}


def _beside(carried: Carried, mixed: Mixed) -> dict[str, Value]:
    """Return when a mix began on the link's clock, and the mean rate that its video had."""
    begun_s = {VOICE: mixed.voice.opened_s, VPN: mixed.vpn.opened_s}
    more: dict[str, Value] = {}
    if mixed.video is not None:
        begun_s[VIDEO] = mixed.video.opened_s
        packets = mixed.video.packets
        more["flow.group.video.udp.rate"] = (
            f"{8 * sum(each[3] for each in packets) / packets[-1][1]:.0f} bit/s"
        )
    for name, at_s in begun_s.items():
        assert at_s is not None
        ahead_s = carried.flows[0].opened_s - at_s
        more[f"flow.group.{name}.start"] = f"{max(0, carried.start_s[0] - ahead_s):.9f} s"
    return more


@cache
def _names() -> dict[Point, str]:
    return {setup.point: name for name, setup in SETUPS.items()}


def compared(outcome: Outcome) -> Compared:
    """Return an outcome of `simulated` with its type.

    Raises
    ------
    TypeError
        If it is an outcome of another paper.
    """
    if not isinstance(outcome, Compared):
        raise TypeError(f"{outcome!r} was not run in a test bed")
    return outcome
