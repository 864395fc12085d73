"""TCP over long thin radio pipes: run a scenario, look at its numbers, draw them.

>>> import thinpipe as tp
>>> run = tp.run("umts-dch-384", {"tcp.variant": "vegas"}, seed=1, radio__tbler="5 %")
>>> run.flows[0].normalized_throughput, run.rtt, run.plot.cwnd()  # doctest: +SKIP

Times are seconds, rates bit/s, sizes bytes and windows segments, everywhere.
"""

from thinpipe._core import ScenarioError, __version__
from thinpipe.point import Point
from thinpipe.result import CwndSummary, Flow, Link, QueueSummary, Radio, Result, RttSummary
from thinpipe.run import Run, run, run_many
from thinpipe.scenario import Scenario, scenarios

__all__ = [
    "CwndSummary",
    "Flow",
    "Link",
    "Point",
    "QueueSummary",
    "Radio",
    "Result",
    "RttSummary",
    "Run",
    "Scenario",
    "ScenarioError",
    "__version__",
    "run",
    "run_many",
    "scenarios",
]
