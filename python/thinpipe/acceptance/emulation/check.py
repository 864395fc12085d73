"""The measures of the facts in ``facts.toml``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from thinpipe.acceptance.emulation.collect import Compared, compared
from thinpipe.acceptance.emulation.experiments import CONTROLS, SETUPS

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes


def _measure(
    outcomes: Outcomes, *, item: str, control: str, of: Callable[[Compared], float]
) -> Sequence[float]:
    setup = SETUPS[item]
    return [of(compared(outcomes[setup.point(control, seed)])) for seed in setup.seeds]


QUANTITIES: Final[dict[str, Callable[[Compared], float]]] = {
    "throughput": lambda each: 100 * each.throughput_error,
    "rtt": lambda each: 100 * each.rtt_error,
    "lateness": lambda each: 1000 * (each.carried.punctuality.emulator.p99 or 0.0),
}

MEASURES: Final = {
    f"{item}-{control}-{name}": partial(_measure, item=item, control=control, of=quantity)
    for item in SETUPS
    for control in CONTROLS
    for name, quantity in QUANTITIES.items()
}
