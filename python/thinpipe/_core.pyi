from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["EVENTS", "Run", "ScenarioError", "__version__", "keys", "run", "run_many", "shipped"]

__version__: str
EVENTS: list[str]

class ScenarioError(ValueError): ...

def shipped() -> dict[str, str]: ...
def keys() -> list[tuple[str, str, str, str]]: ...
def run(
    source: str,
    name: str,
    settings: Sequence[tuple[str, str]],
    *,
    trace: bool = False,
    progress: Callable[[float, float], None] | None = None,
) -> Run: ...
def run_many(
    points: Sequence[tuple[str, str, Sequence[tuple[str, str]]]],
    *,
    jobs: int,
    trace: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Run]: ...

@final
class Run:
    def json(self) -> str: ...
    def tables(self) -> dict[str, dict[str, NDArray[np.generic[Any]]]]: ...
    def machines(self) -> list[str]: ...
    def write_pcapng(self, directory: str) -> list[str]: ...
