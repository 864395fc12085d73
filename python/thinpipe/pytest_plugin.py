"""A fixture for tests that run programs behind an emulated link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from thinpipe.emulation import EmulatedNetwork


@pytest.fixture(scope="session")
def thinpipe_unavailable() -> str | None:
    """Say why this machine allows no emulation; ``None`` if it does."""
    from thinpipe.emulation import unavailable

    return unavailable()


@pytest.fixture
def thinpipe_emulate(thinpipe_unavailable: str | None) -> Iterator[Callable[..., EmulatedNetwork]]:
    """Return a function that puts programs behind a link: ``thinpipe_emulate("umts-384")``.

    It takes what `thinpipe.emulate` takes; each network that it returns ends with the test. The
    test is skipped, with the reason, where the machine allows no emulation.
    """
    if thinpipe_unavailable:
        pytest.skip(f"no emulation here: {thinpipe_unavailable}")
    from thinpipe.emulation import emulate

    with ExitStack() as stack:
        yield lambda *words, **options: stack.enter_context(emulate(*words, **options))
