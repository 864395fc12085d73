"""Custom congestion control: a class that sets the window on acknowledgements and losses.

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
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from inspect import signature
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any, ClassVar, Final, TypeVar

from thinpipe import _core
from thinpipe._core import Ack, Limits, Loss, LostSegment
from thinpipe.scenario import keys

KEY: Final = "tcp.congestion_control"
"""The key that takes an algorithm as its value."""

VARIANT: Final = "tcp.variant"
"""The key that names a pair of congestion control and loss recovery, and takes no algorithm."""


def is_of_endpoint(key: str, own: str) -> bool:
    """Return whether a key is that of `[tcp]` called `own`, or the same of some flows."""
    return key == own or (key.startswith("flow.") and key.endswith(f".{own}"))


def _controlling(key: str) -> str:
    """Return the key of the same endpoints that takes a class: a variant's is beside it."""
    return f"{key.rpartition('.')[0]}.{KEY.rpartition('.')[2]}"


class CongestionControl(ABC):
    """Base class of custom congestion controls.

    Each connection has its own object, which sets three attributes. The simulator reads them after
    every call; they may be properties:

    `window`
        The congestion window in bytes; at least one segment is always allowed.
    `ssthresh`
        The slow-start threshold in bytes. Loss recovery ends at it, and results show it.
    `pacing_rate`
        The pacing rate in bit/s; with ``None``, the default, only the window limits sending.

    The simulator calls `on_ack` and `on_loss`, and where overridden `on_start`, `on_idle`,
    `on_undo`, `on_resume` and `on_lost_segment`, in the order of simulated time.
    """

    name: ClassVar[str] = ""
    """Its name in results and settings; if empty, the name of the class in lower case."""

    wants_rate: ClassVar[bool] = False
    """Whether to measure `Ack.rate`."""

    limits: Limits
    """Limits of the connection; set before `on_start`, as are window and threshold."""

    window: float
    ssthresh: float
    pacing_rate: float | None = None

    @property
    def mss(self) -> int:
        """Payload bytes of a full segment."""
        return self.limits.mss

    def on_start(self) -> None:  # noqa: B027 - it may be left out
        """Begin a connection.

        `window` and `ssthresh` are already set from the scenario, unless the class or the object
        sets them itself.
        """

    @abstractmethod
    def on_ack(self, ack: Ack) -> None:
        """Handle an acknowledgement of new data."""

    @abstractmethod
    def on_loss(self, loss: Loss) -> None:
        """Begin a congestion episode: a segment counts as lost, or a queue marked one (ECN)."""

    def on_lost_segment(self, lost: LostSegment) -> None:  # noqa: B027 - it may be left out
        """Handle a lost segment, whether or not it begins a congestion episode."""

    def on_idle(self, now_s: float) -> None:  # noqa: ARG002 - for those that override it
        """Handle an idle time longer than a retransmission timeout.

        By default the window falls back to the initial one (RFC 5681 §4.1).
        """
        self._put("window", min(self.window, self.limits.initial_window * self.mss))

    def on_undo(self, now_s: float, window: float, ssthresh: float) -> None:  # noqa: ARG002
        """Undo the last loss, which was spurious. `window` and `ssthresh` are those before it.

        By default both return at least to these values (RFC 4015 §3.2).
        """
        self._put("window", max(self.window, window))
        self._put("ssthresh", max(self.ssthresh, ssthresh))

    def on_resume(self, window: float, ssthresh: float) -> None:
        """Go on with `window` and `ssthresh`, both in bytes: careful resume (RFC 9959) asks for it.

        By default both are set. `ssthresh` is the present one, except after a loss.
        """
        self._put("window", window)
        self._put("ssthresh", ssthresh)

    def _put(self, name: str, value: float) -> None:
        """Set an attribute, unless it is computed."""
        if not isinstance(getattr(type(self), name, None), property):
            setattr(self, name, value)


Algorithm = type[CongestionControl] | CongestionControl
"""A class, or an object; each connection gets an unused copy of the object."""

AlgorithmT = TypeVar("AlgorithmT", bound=Algorithm)

_registered: dict[str, Algorithm] = {}


def register(algorithm: AlgorithmT) -> AlgorithmT:
    """Register a custom algorithm under its name, for settings and scenario files.

    Parameters
    ----------
    algorithm
        A subclass of `CongestionControl`, or an object of one; the function is a decorator, too.
        A later algorithm of the same name replaces it.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If a built-in algorithm has this name.

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
    """Return the registered algorithms with their names."""
    return tuple(_registered.items())


def name_of(algorithm: Algorithm, key: str = KEY) -> str:
    """Return the name of an algorithm in results and settings; `key` is named in errors."""
    kind = algorithm if isinstance(algorithm, type) else type(algorithm)
    if not issubclass(kind, CongestionControl):
        raise TypeError(f"{key}: {algorithm!r} is no subclass of thinpipe.CongestionControl")
    name = kind.name or kind.__name__.lower()
    if name in _shipped():
        raise ValueError(f"{key}: {name!r} ships; give {kind.__name__} a name of its own")
    return name


def resolve(value: object, key: str = KEY) -> Algorithm | None:
    """Return the algorithm that a setting's value is or names as ``FILE.py:CLASS``.

    Raises
    ------
    ScenarioError
        If the file cannot be read or has no such class, or `key` takes no class.
    """
    takes = is_of_endpoint(key, KEY)
    if not takes and not is_of_endpoint(key, VARIANT):
        return None
    if isinstance(value, str):
        named = re.fullmatch(r"(.*\.py)(?::(.*))?", value)
        if named is None and ":" in value:
            raise _core.ScenarioError(f"{key}={value}: expected {_controlling(key)}=FILE.py:CLASS")
        return None if named is None else _from_file(key, named[1], named[2] or "")
    if not takes:
        return None
    if isinstance(value, CongestionControl):
        return value
    if isinstance(value, type):
        name_of(value, key)  # raises if it is not an algorithm
        return value
    return None


Starter = Callable[[Limits], tuple[CongestionControl, bool, bool]]


def starter(algorithm: Algorithm) -> Starter:
    """Return a function that makes a connection's controller and says which events it wants."""

    def begin(limits: Limits) -> tuple[CongestionControl, bool, bool]:
        made = algorithm() if isinstance(algorithm, type) else copy.deepcopy(algorithm)
        made.limits = limits
        _set_defaults(made)
        made.on_start()
        wants_lost_segments = type(made).on_lost_segment is not CongestionControl.on_lost_segment
        return made, bool(made.wants_rate), wants_lost_segments

    return begin


def _set_defaults(made: CongestionControl) -> None:
    """Set window and threshold from the scenario, where the algorithm does not."""
    start = {
        "window": made.limits.initial_window * made.mss,
        "ssthresh": made.limits.initial_ssthresh * made.mss,
    }
    for name, value in start.items():
        if not hasattr(type(made), name) and not hasattr(made, name):
            setattr(made, name, value)


def _from_file(key: str, path: str, name: str) -> type[CongestionControl]:
    given = f"{key}={path}:{name}" if name else f"{key}={path}"
    try:
        changed_ns = Path(path).stat().st_mtime_ns
    except OSError as error:
        raise _core.ScenarioError(f"{given}: cannot read {path}: {error.strerror}") from None
    module = _module(Path(path).resolve(), changed_ns)
    found: Any = getattr(module, name, None) if name else None
    takes = is_of_endpoint(key, KEY)
    if takes and isinstance(found, type) and issubclass(found, CongestionControl):
        if lack := _lack(found):
            raise _core.ScenarioError(f"{given}: {lack}")
        return found
    mine = [
        each.__name__
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
        if issubclass(each, CongestionControl)
    ]
    reason = f"expected {_controlling(key)}=FILE.py:CLASS"
    if takes and name:
        reason = "no CongestionControl of that name"
    raise _core.ScenarioError(f"{given}: {reason}; {path} has {', '.join(mine) or 'none'}")


def _lack(algorithm: type[CongestionControl]) -> str | None:
    """Return why no object can be made of an algorithm without arguments; ``None`` if it can."""
    if missing := sorted(algorithm.__abstractmethods__):
        return f"{algorithm.__name__} lacks {' and '.join(missing)}"
    try:
        signature(algorithm).bind()
    except TypeError as error:
        return f"{algorithm.__name__} is made without arguments: {error}"
    return None


CUSTOM: Final = "thinpipe.custom."
"""What the names of modules that are controllers' files begin with."""


@cache
def _module(path: Path, _changed_ns: int) -> ModuleType:
    """Import a file as a module, again after each change."""
    name = f"{CUSTOM}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _core.ScenarioError(f"{KEY}={path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        where = f"{error.filename}:{error.lineno}"
        raise _core.ScenarioError(f"{where}: not Python: {error.msg}") from None
    except SystemExit:
        raise _core.ScenarioError(f"{path}: ends the program while it is read") from None
    return module


def fault(error: Exception) -> str | None:
    """Return where a controller's file raised an error, and which; ``None`` of other errors."""
    lines = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").startswith(CUSTOM)
    ]
    return f"{lines[-1]}: {type(error).__name__}: {error}" if lines else None


@cache
def _shipped() -> frozenset[str]:
    """Return the names of the built-in algorithms."""
    key = next(key for key in keys() if key.name == KEY)
    return frozenset(key.words)
