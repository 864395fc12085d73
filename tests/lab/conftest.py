"""The lab and a browser that opens it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.lab.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

LIMIT_MS = 60_000
"""Far above what anything takes, also on a busy machine."""

ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
"""Root has no sandbox, and a container may have little shared memory."""


def missing() -> str | None:
    """Return why no test can use a browser on this machine."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "needs playwright"
    return None if shutil.which("chromium") else "needs chromium"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start a browser; skip where there is none.

    It ends with the file of its tests, and with it an event loop that no other test could have.
    """
    if reason := missing():
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=LIMIT_MS)
    program = shutil.which("chromium")
    with sync_playwright() as playing:
        started = playing.chromium.launch(
            executable_path=program, args=ARGUMENTS, timeout=LIMIT_MS, handle_sigint=False
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def labs(tmp_path_factory) -> Iterator[Callable[..., Served]]:
    """Return a function that starts a lab with arguments; all end with the session.

    `state` is the XDG_STATE_HOME, which has the token; else a new one.
    """
    with contextlib.ExitStack() as open_ones:

        def start(*arguments: str, state: Path | None = None, port: int = 0) -> Served:
            folder = tmp_path_factory.mktemp("lab")
            return open_ones.enter_context(
                Served.started(folder, *arguments, state=state or folder, port=port)
            )

        yield start


@pytest.fixture(scope="session")
def lab(labs) -> Served:
    """Return a lab that tests share."""
    served: Served = labs()
    return served


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """Collect what a page must not do: errors on its console, requests to anywhere else.

    A test that means to cause some takes them out.
    """
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def contexts(chromium, lab, complaints) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that makes a browser context with access to a lab; `options` are its own.

    What its pages ask of anything but the lab is refused.
    """
    made: list[BrowserContext] = []

    def context(of: Served = lab, **options: Any) -> BrowserContext:
        size = {"width": 1600, "height": 1000}
        new: BrowserContext = chromium.new_context(
            **{"base_url": of.origin, "viewport": size, **options}
        )
        made.append(new)
        new.set_default_timeout(LIMIT_MS)

        def pass_on(route: Route) -> None:
            if route.request.url.startswith(f"{of.origin}/"):
                route.continue_()
            else:
                complaints.append(f"asked for {route.request.url}")
                route.abort()

        new.route("**/*", pass_on)
        new.on("console", lambda said: complaints.extend(worth_telling(said.type, said.text)))
        new.on("weberror", lambda met: complaints.append(str(met.error)))
        new.request.get(of.address)
        return new

    before = lab.errors()
    yield context
    for each in made:
        each.close()
    assert lab.errors() == before


def worth_telling(kind: str, text: str) -> Iterator[str]:
    if kind in ("error", "warning"):
        yield f"{kind}: {text}"


@pytest.fixture
def page(contexts) -> Page:
    """Open a page that has access to the shared lab; `tests.lab.browsing` drives it."""
    opened: Page = contexts().new_page()
    return opened
