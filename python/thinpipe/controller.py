"""Your own congestion control: a class, told of acknowledgements and losses, that sets a window.

>>> import thinpipe as tp
>>> class Halving(tp.CongestionControl):
...     def on_ack(self, ack: tp.Ack) -> None:
...         self.window += self.mss * ack.acked / self.window
...
...     def on_loss(self, loss: tp.Loss) -> None:
...         self.window /= 2
>>> run = tp.run("plain-384", {"tcp.congestion_control": Halving}, duration="5 s")
>>> run.flows[0].variant
'halving+reno'
"""

from __future__ import annotations

import copy
import importlib.util
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final, TypeVar

from thinpipe import _core
from thinpipe._core import Ack, Limits, Loss, LostSegment
from thinpipe.scenario import keys

KEY: Final = "tcp.congestion_control"
"""The key whose value an algorithm can be."""


class CongestionControl(ABC):
    """A congestion control: the base of your own.

    Each connection has an object of its own, which decides by three attributes. They are read
    after every call, and may be properties:

    `window`
        The congestion window in bytes. Less than a segment counts as one.
    `ssthresh`
        The slow-start threshold in bytes. Loss recovery returns to it, and results show it.
    `pacing_rate`
        How fast to send, in bit/s; ``None``, the default, sends whenever the window allows.

    The rest is told: `on_ack` and `on_loss`, and if need be `on_start`, `on_idle`, `on_undo` and
    `on_lost_segment`. The calls of a connection come in the order of simulated time.
    """

    name: ClassVar[str] = ""
    """What results and settings call it; the name of the class in lower case, if left empty."""

    wants_rate: ClassVar[bool] = False
    """Whether `Ack.rate` is to be measured."""

    limits: Limits
    """The frame of the connection: there before `on_start`, as are window and threshold."""

    window: float
    ssthresh: float
    pacing_rate: float | None = None

    @property
    def mss(self) -> int:
        """Payload bytes of a full segment."""
        return self.limits.mss

    def on_start(self) -> None:  # noqa: B027 - it may be left out
        """Begin a connection.

        `window` and `ssthresh` are the scenario's by then, unless the class or the object has its
        own.
        """

    @abstractmethod
    def on_ack(self, ack: Ack) -> None:
        """Something new was acknowledged."""

    @abstractmethod
    def on_loss(self, loss: Loss) -> None:
        """Begin an episode of congestion: a segment counts as lost, or a queue marked one."""

    def on_lost_segment(self, lost: LostSegment) -> None:  # noqa: B027 - it may be left out
        """One segment was found lost, whether or not it begins an episode."""

    def on_idle(self, now_s: float) -> None:  # noqa: ARG002 - for those that override it
        """Nothing was sent for longer than a retransmission timeout.

        By default the window falls back to the initial one (RFC 5681 §4.1).
        """
        self._put("window", min(self.window, self.limits.initial_window * self.mss))

    def on_undo(self, now_s: float, window: float, ssthresh: float) -> None:  # noqa: ARG002
        """Take the last loss back: it was none. `window` and `ssthresh` are those before it.

        By default neither is then smaller than it was (RFC 4015 §3.2).
        """
        self._put("window", max(self.window, window))
        self._put("ssthresh", max(self.ssthresh, ssthresh))

    def _put(self, name: str, value: float) -> None:
        """Set an attribute, unless it is computed."""
        if not isinstance(getattr(type(self), name, None), property):
            setattr(self, name, value)


Algorithm = type[CongestionControl] | CongestionControl
"""A class, or an object of it, of which each connection gets a copy as it was before any run."""

Made = TypeVar("Made", bound=Algorithm)

_registered: dict[str, Algorithm] = {}


def register(algorithm: Made) -> Made:
    """Let settings and scenario files name an algorithm of yours.

    Parameters
    ----------
    algorithm
        A subclass of `CongestionControl`, or an object of one. This works as a decorator too. A
        later one of the same name takes its place.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If an algorithm that ships has its name.

    Examples
    --------
    >>> @register
    ... class Fixed(CongestionControl):
    ...     window = 8 * 512
    ...
    ...     def on_ack(self, ack: Ack) -> None: ...
    ...     def on_loss(self, loss: Loss) -> None: ...
    """
    _registered[name_of(algorithm)] = algorithm
    return algorithm


def registered() -> tuple[tuple[str, Algorithm], ...]:
    """Return the algorithms that settings can name, beside those that ship."""
    return tuple(_registered.items())


def name_of(algorithm: Algorithm) -> str:
    """Return what results and settings call an algorithm."""
    kind = algorithm if isinstance(algorithm, type) else type(algorithm)
    if not issubclass(kind, CongestionControl):
        raise TypeError(f"{KEY}: {algorithm!r} is no subclass of thinpipe.CongestionControl")
    name = kind.name or kind.__name__.lower()
    if name in _shipped():
        raise ValueError(f"{KEY}: {name!r} ships; give {kind.__name__} a name of its own")
    return name


def resolve(value: object) -> Algorithm | None:
    """Return the algorithm that a setting's value is: itself, or ``FILE.py:CLASS``.

    Raises
    ------
    ScenarioError
        If the file has no such class.
    OSError
        If the file cannot be read.
    """
    if isinstance(value, str):
        path, colon, name = value.rpartition(":")
        return _from_file(Path(path), name) if colon and path.endswith(".py") else None
    if isinstance(value, CongestionControl):
        return value
    if isinstance(value, type):
        name_of(value)  # refuses what is none
        return value
    return None


Beginning = Callable[[Limits], tuple[CongestionControl, bool, bool]]


def beginning(algorithm: Algorithm) -> Beginning:
    """Return what begins a connection: its controller, and what else that wants to know."""

    def begin(limits: Limits) -> tuple[CongestionControl, bool, bool]:
        made = algorithm() if isinstance(algorithm, type) else copy.deepcopy(algorithm)
        made.limits = limits
        _set_defaults(made)
        made.on_start()
        hears_all = type(made).on_lost_segment is not CongestionControl.on_lost_segment
        return made, bool(made.wants_rate), hears_all

    return begin


def _set_defaults(made: CongestionControl) -> None:
    """Give an algorithm the scenario's window and threshold, where it has none of its own."""
    start = {
        "window": made.limits.initial_window * made.mss,
        "ssthresh": made.limits.initial_ssthresh * made.mss,
    }
    for name, value in start.items():
        if not hasattr(type(made), name) and not hasattr(made, name):
            setattr(made, name, value)


def _from_file(path: Path, name: str) -> type[CongestionControl]:
    module = _module(path.resolve(), path.stat().st_mtime_ns)
    found: Any = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, CongestionControl):
        return found
    mine = [
        each.__name__
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
        if issubclass(each, CongestionControl)
    ]
    has = f"it has {', '.join(mine)}" if mine else "it has none"
    raise _core.ScenarioError(
        f"{KEY}={os.fspath(path)}:{name}: no CongestionControl of that name; {has}"
    )


@cache
def _module(path: Path, _changed_ns: int) -> ModuleType:
    """Run a file as a module. It is run again after a change."""
    name = f"thinpipe.custom.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _core.ScenarioError(f"{KEY}={path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@cache
def _shipped() -> frozenset[str]:
    """Values of the key that need no algorithm of the user's."""
    key = next(key for key in keys() if key.name == KEY)
    return frozenset(key.expected.replace(",", " ").split()) - {"or"}
