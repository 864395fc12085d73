"""What of an emulated link can be changed while it runs, here or in another process."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol

from thinpipe import _core
from thinpipe._core import EmulationError, ScenarioError
from thinpipe.point import Value
from thinpipe.values import as_text, refuse_twice

TIMEOUT_S: Final = 60.0
"""Limit for an answer of the emulator, far above what it takes."""


class ChangeableLink(Protocol):
    """A link of which some keys can be changed while it runs."""

    @property
    def changeable(self) -> dict[str, str]:
        """Each key that can be changed, and its value now, as in a scenario."""

    @property
    def black_out_s(self) -> float:
        """For how long nothing gets through yet; 0 without a black-out."""

    def change(self, settings: Mapping[str, Value]) -> None:
        """Change keys at once: all of them, or none if one is wrong."""

    def black_out(self, seconds: float) -> None:
        """Let nothing through for so long from now on; 0 ends a black-out."""

    def meter(self) -> dict[str, Any]:
        """Return how the link fares; rates and delays are those since the last call."""


class RunningLink:
    """The link of an emulation in this process."""

    def __init__(self, emulation: _core.Emulation) -> None:
        self._emulation: Final = emulation

    @property
    def changeable(self) -> dict[str, str]:
        """See `ChangeableLink`."""
        return dict(self._emulation.state()[0])

    @property
    def black_out_s(self) -> float:
        """See `ChangeableLink`."""
        return self._emulation.state()[1]

    def change(self, settings: Mapping[str, Value]) -> None:
        """See `ChangeableLink`.

        Raises
        ------
        ScenarioError
            If a key cannot be changed or a value is wrong; nothing has changed then.
        TypeError
            If a value is neither text nor a number.
        """
        pairs = [(key, as_text(key, value)) for key, value in settings.items()]
        refuse_twice(pairs)
        self._emulation.change(pairs)

    def black_out(self, seconds: float) -> None:
        """See `ChangeableLink`.

        Raises
        ------
        ScenarioError
            If `seconds` is out of range, or the network has no black-outs.
        """
        self._emulation.black_out(seconds)

    def meter(self) -> dict[str, Any]:
        """See `ChangeableLink`."""
        read: dict[str, Any] = json.loads(self._emulation.meter(reader="guest"))
        return read


class RemoteLink:
    """The link of an emulation in a process that calls `serve` at the other end of a socket."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(TIMEOUT_S)
        with connection:  # the file keeps it open
            self._lines: Final = connection.makefile("rw", encoding="utf-8")
        self._lock: Final = threading.Lock()

    @property
    def changeable(self) -> dict[str, str]:
        """See `ChangeableLink`."""
        found: dict[str, str] = self._ask("changeable")
        return found

    @property
    def black_out_s(self) -> float:
        """See `ChangeableLink`."""
        return float(self._ask("black_out_s"))

    def change(self, settings: Mapping[str, Value]) -> None:
        """See `RunningLink.change`."""
        self._ask("change", {key: as_text(key, value) for key, value in settings.items()})

    def black_out(self, seconds: float) -> None:
        """See `RunningLink.black_out`."""
        self._ask("black_out", float(seconds))

    def meter(self) -> dict[str, Any]:
        """See `ChangeableLink`."""
        read: dict[str, Any] = self._ask("meter")
        return read

    def close(self) -> None:
        """Let `serve` return."""
        with suppress(OSError):  # the other end has gone, with what it was asked last
            self._lines.close()

    def _ask(self, what: str, argument: object = None) -> Any:  # noqa: ANN401 - its kind
        with self._lock:
            try:
                self._lines.write(f"{json.dumps([what, argument])}\n")
                self._lines.flush()
                line = self._lines.readline()
            except (OSError, ValueError):  # it is closed
                line = ""
        if not line:
            raise EmulationError("the emulator has stopped")
        kind, answer = json.loads(line)
        if kind in ERRORS:
            raise ERRORS[kind](answer)
        return answer


ERRORS: Final = {error.__name__: error for error in (EmulationError, ScenarioError)}
"""What an answer may raise, by its name."""


def serve(link: ChangeableLink, connection: socket.socket) -> None:
    """Answer a `RemoteLink` until it is closed."""
    asked: Mapping[str, Callable[[Any], object]] = {
        "changeable": lambda _: link.changeable,
        "black_out_s": lambda _: link.black_out_s,
        "change": link.change,
        "black_out": link.black_out,
        "meter": lambda _: link.meter(),
    }
    with connection, connection.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            what, argument = json.loads(line)
            try:
                answer = ("", asked[what](argument))
            except (EmulationError, ScenarioError) as error:
                answer = (type(error).__name__, str(error))
            lines.write(f"{json.dumps(answer)}\n")
            lines.flush()
