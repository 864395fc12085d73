"""TCP over long thin radio pipes: run a scenario, read its metrics, plot them.

>>> import thinpipe as tp
>>> run = tp.run("umts-dch-384", {"tcp.variant": "vegas"}, seed=1, radio__tbler="5 %")
>>> run.flows[0].normalized_throughput, run.rtt, run.plot.cwnd()  # doctest: +SKIP

Results are in seconds, bit/s, bytes and segments. Settings are text with a unit, as in a scenario
file: ``duration="60 s"``, ``radio__tbler="5 %"``.
"""

from thinpipe import startup  # noqa: F401 - Ctrl-C from here on
from thinpipe._core import (
    Ack,
    EmulationError,
    Limits,
    Loss,
    LostSegment,
    RateSample,
    ScenarioError,
    __version__,
)
from thinpipe.call_result import Call
from thinpipe.calls import rate_call
from thinpipe.cell_result import Cell
from thinpipe.controller import CongestionControl, register
from thinpipe.emulation import EmulatedNetwork, emulate
from thinpipe.emulation_record import EmulationRecord
from thinpipe.frame import frame
from thinpipe.group_result import Group, RttSummary
from thinpipe.lab.notebook import lab
from thinpipe.named_pipes import Pipe, pipes
from thinpipe.point import Point
from thinpipe.recording import Recording, SavedRun, load
from thinpipe.rerun import again
from thinpipe.result import (
    CwndSummary,
    Energy,
    Flow,
    Link,
    Mobile,
    Pages,
    QueueSummary,
    Radio,
    RadioBlocks,
    Result,
)
from thinpipe.run import Run, run, run_many
from thinpipe.scenario import Key, Needs, OtherDefault, Scenario, Takes, keys, profiles, scenarios
from thinpipe.sweep import Study, sweep
from thinpipe.sweep.measures import Measure, measures

__all__ = [
    "Ack",
    "Call",
    "Cell",
    "CongestionControl",
    "CwndSummary",
    "EmulatedNetwork",
    "EmulationError",
    "EmulationRecord",
    "Energy",
    "Flow",
    "Group",
    "Key",
    "Limits",
    "Link",
    "Loss",
    "LostSegment",
    "Measure",
    "Mobile",
    "Needs",
    "OtherDefault",
    "Pages",
    "Pipe",
    "Point",
    "QueueSummary",
    "Radio",
    "RadioBlocks",
    "RateSample",
    "Recording",
    "Result",
    "RttSummary",
    "Run",
    "SavedRun",
    "Scenario",
    "ScenarioError",
    "Study",
    "Takes",
    "__version__",
    "again",
    "emulate",
    "frame",
    "keys",
    "lab",
    "load",
    "measures",
    "pipes",
    "profiles",
    "rate_call",
    "register",
    "run",
    "run_many",
    "scenarios",
    "sweep",
]
