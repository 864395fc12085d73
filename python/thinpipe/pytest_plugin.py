"""A pytest fixture for tests that run programs behind an emulated link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from thinpipe.emulation import EmulatedNetwork


@pytest.fixture(scope="session")
def thinpipe_unavailable() -> str | None:
    """Return why emulation does not work on this machine; ``None`` if it works."""
    from thinpipe.emulation import unavailable

    return unavailable()


@pytest.fixture
def thinpipe_emulate(thinpipe_unavailable: str | None) -> Iterator[Callable[..., EmulatedNetwork]]:
    """Return a function that emulates a network: ``thinpipe_emulate("umts-384")``.

    It takes the arguments of `thinpipe.emulate`; its networks end with the test. Where emulation
    does not work, the test is skipped with the reason.
    """
    if thinpipe_unavailable:
        pytest.skip(f"no emulation here: {thinpipe_unavailable}")
    from thinpipe.emulation import emulate

    with ExitStack() as stack:
        yield lambda *words, **options: stack.enter_context(emulate(*words, **options))
