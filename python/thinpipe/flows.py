"""The flows of a run, read as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, overload

from thinpipe.result import Flow

if TYPE_CHECKING:
    from thinpipe import _core

BLOCK: Final = 64
"""So many flows are read together."""

BLOCKS: Final = 16
"""So many blocks are kept. Records of all flows of ten thousand mobiles would take 400 MB."""


class Flows(Sequence[Flow]):
    """The flows of a finished run, whose figures stay in the compiled module until read."""

    def __init__(self, core: _core.Run) -> None:
        self._count: Final = core.flow_count

        def read(block: int) -> Sequence[Flow]:
            first = BLOCK * block
            return Flow.several_from_json(
                core.flows_json(first, min(first + BLOCK, core.flow_count))
            )

        self._block: Final[Callable[[int], Sequence[Flow]]] = lru_cache(BLOCKS)(read)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Flow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Flow, ...]: ...
    def __getitem__(self, index: int | slice) -> Flow | tuple[Flow, ...]:
        if isinstance(index, slice):
            return tuple(map(self._at, range(self._count)[index]))
        if not -self._count <= index < self._count:
            raise IndexError(f"flow {index}: there are {self._count}")
        return self._at(index % self._count)

    def __iter__(self) -> Iterator[Flow]:
        return map(self._at, range(self._count))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Flows | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(Flow.__eq__, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[tuple[Flow, ...]]]:
        """Pickle as a tuple: the run itself stays in its process."""
        return tuple, (tuple(self),)

    def _at(self, place: int) -> Flow:
        return self._block(place // BLOCK)[place % BLOCK]
