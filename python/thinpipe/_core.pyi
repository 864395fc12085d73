from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CODE_EVENTS",
    "DROP_REASONS",
    "EVENTS",
    "HANDOVER_EVENTS",
    "MIDDLEBOX_EVENTS",
    "MIDDLEBOX_RELEASES",
    "MOBILITY_EVENTS",
    "RRC_EVENTS",
    "RRC_STATES",
    "Ack",
    "Emulation",
    "EmulationError",
    "Limits",
    "Loss",
    "LostSegment",
    "ProxyError",
    "RateSample",
    "Run",
    "ScenarioError",
    "__version__",
    "enter_own_namespaces",
    "keys",
    "made",
    "network",
    "number",
    "profiles",
    "proxy_check",
    "proxy_serve",
    "proxy_status",
    "proxy_summary",
    "queue_packets",
    "rate_call",
    "run",
    "run_each",
    "schemas",
    "shipped",
    "values",
]

__version__: str
EVENTS: list[str]
RRC_STATES: list[str]
RRC_EVENTS: list[str]
CODE_EVENTS: list[str]
HANDOVER_EVENTS: list[str]
MIDDLEBOX_EVENTS: list[str]
MIDDLEBOX_RELEASES: list[str]
MOBILITY_EVENTS: list[str]
DROP_REASONS: list[str]

class ScenarioError(ValueError): ...
class EmulationError(RuntimeError): ...
class ProxyError(RuntimeError): ...

def enter_own_namespaces() -> None: ...

@final
class Emulation:
    def __new__(
        cls,
        source: str,
        name: str,
        settings: Sequence[tuple[str, str]],
        *,
        mtu: int = 1500,
        between: tuple[str, str] | None = None,
        log: str | PathLike[str] | None = None,
        pcap: str | PathLike[str] | None = None,
        snap: int | None = None,
    ) -> Emulation: ...
    @property
    def environment(self) -> dict[str, str]: ...
    @property
    def notes(self) -> list[str]: ...
    def spawn(
        self,
        side: Literal["network", "mobile"],
        command: Sequence[str],
        environment: Mapping[str, str],
    ) -> int: ...
    def meter(self, *, reader: Literal["run", "page", "guest"] = "run") -> str: ...
    def state(self) -> tuple[list[tuple[str, str]], float]: ...
    def change(self, settings: Sequence[tuple[str, str]]) -> None: ...
    def black_out(self, seconds: float) -> None: ...
    def is_busy(self) -> bool: ...
    def finish(self) -> str: ...

def proxy_check(
    config: str | PathLike[str],
) -> list[tuple[Literal["ok", "warning", "error"], str]]: ...
def proxy_serve(config: str | PathLike[str]) -> None: ...
def proxy_status(config: str | PathLike[str], *, mobiles: bool = False) -> str: ...
def proxy_summary(answer: str) -> tuple[list[str], list[tuple[list[str], list[list[str]]]]]: ...
def schemas() -> str: ...
def shipped() -> dict[str, str]: ...
def profiles() -> list[tuple[str, str]]: ...
def keys(
    profile: str | None = None,
) -> list[
    tuple[
        str,
        str,
        str,
        str,
        dict[str, Any],
        list[tuple[str, list[str]]],
        list[tuple[str, list[str]]],
        list[str],
        str | None,
    ]
]: ...
def number(key: str, text: str) -> float | None: ...
def queue_packets(kind: str) -> int: ...
def values(
    source: str,
    name: str,
    settings: Sequence[tuple[str, str]] = ...,
    customs: Sequence[str] = ...,
) -> list[tuple[str, str]]: ...
def made(
    source: str,
    name: str,
    settings: Sequence[tuple[str, str]] = ...,
    customs: Sequence[str] = ...,
) -> list[str]: ...
def network(
    source: str,
    name: str,
    settings: Sequence[tuple[str, str]] = ...,
    customs: Sequence[str] = ...,
) -> dict[str, Any]: ...
def rate_call(
    source: str,
    name: str,
    settings: Sequence[tuple[str, str]],
    customs: Sequence[str],
    group: str,
    delays_s: Sequence[float | None],
) -> str: ...
def run(
    source: str,
    name: str,
    settings: Sequence[tuple[str, str]],
    algorithms: Sequence[tuple[str, Callable[[Limits], tuple[Any, bool, bool]]]],
    *,
    threads: int,
    trace: bool | str = ...,
    progress: Callable[[float, float], None] | None = None,
) -> Run: ...
def run_each(
    points: Sequence[
        tuple[
            str,
            str,
            Sequence[tuple[str, str]],
            Sequence[tuple[str, Callable[[Limits], tuple[Any, bool, bool]]]],
        ]
    ],
    each: Callable[[int, Run], None],
    *,
    jobs: int,
    trace: bool | str = ...,
) -> None: ...

@final
class Run:
    @property
    def wall_s(self) -> float: ...
    @property
    def flow_count(self) -> int: ...
    def json(self) -> str: ...
    def json_without_flows(self) -> str: ...
    def flows_json(self, first: int, end: int) -> str: ...
    def tables(self) -> dict[str, dict[str, NDArray[np.generic[Any]]]]: ...
    def machines(self) -> list[str]: ...
    def droppers(self) -> list[str]: ...
    def write_pcapng(self, directory: str, snap: int | None = None) -> list[str]: ...
    def write_ns2(self, directory: str) -> list[str]: ...
    def has_ns2(self) -> bool: ...

@final
class Limits:
    @property
    def mss(self) -> int: ...
    @property
    def initial_window(self) -> int: ...
    @property
    def initial_ssthresh(self) -> int: ...
    @property
    def maximum_window(self) -> int: ...

@final
class Ack:
    @property
    def now_s(self) -> float: ...
    @property
    def acked(self) -> int: ...
    @property
    def delivered(self) -> int: ...
    @property
    def una(self) -> int: ...
    @property
    def nxt(self) -> int: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def pipe(self) -> int: ...
    @property
    def rtt_s(self) -> float | None: ...
    @property
    def recovering(self) -> bool: ...
    @property
    def window_limited(self) -> bool: ...
    @property
    def most_in_flight(self) -> int: ...
    @property
    def rate(self) -> RateSample | None: ...
    @property
    def marked_packets(self) -> int: ...
    @property
    def marked_bytes(self) -> int: ...

@final
class RateSample:
    @property
    def total(self) -> int: ...
    @property
    def prior(self) -> int: ...
    @property
    def interval_s(self) -> float: ...
    @property
    def app_limited(self) -> bool: ...
    @property
    def pipe_at_send(self) -> int: ...
    @property
    def lost(self) -> int: ...

@final
class Loss:
    @property
    def now_s(self) -> float: ...
    @property
    def kind(self) -> Literal["duplicate-acks", "fine-timeout", "timeout", "ecn"]: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def sent_s(self) -> float: ...
    @property
    def transmissions(self) -> int: ...
    @property
    def after_mark(self) -> bool: ...

@final
class LostSegment:
    @property
    def now_s(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def prior(self) -> int: ...
    @property
    def pipe_at_send(self) -> int: ...
    @property
    def lost(self) -> int: ...
    @property
    def app_limited(self) -> bool: ...
