"""A sweep on a Dask cluster: each point a task without side effects, done again if it is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ECONNREFUSED, ECONNRESET
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from thinpipe import _core
from thinpipe._core import ScenarioError
from thinpipe.point import Point
from thinpipe.run import run_many
from thinpipe.scenario import Scenario
from thinpipe.signals import undisturbed
from thinpipe.sweep.figures import Figures, figures_of

if TYPE_CHECKING:
    from distributed import Client, Future

    from thinpipe.sweep.plan import Job
    from thinpipe.sweep.running import Keep

PATIENCE_S: Final = 3
"""How long a scheduler may take to answer, in seconds."""

AHEAD: Final = 256
"""Points that the scheduler knows of at a time."""


@dataclass(frozen=True, slots=True)
class Cargo:
    """What a worker needs beside the settings: it may share no file system with us."""

    version: str
    scenario: Scenario
    files: Mapping[str, bytes]
    """Contents by the keys that name the files."""


def run_on(address: str, points: Iterable[Job], keep: Keep) -> None:
    """Run jobs on the workers of a scheduler.

    Raises
    ------
    ConnectionError
        If no scheduler answers, it is lost, or workers keep dying of a point.
    ScenarioError
        If a congestion control in Python is asked for: it stays in this process.
    """
    with _connected(address) as client:
        _run(client, address, points, keep)


def _run(client: Client, address: str, points: Iterable[Job], keep: Keep) -> None:
    cargo: dict[tuple[tuple[str, str], ...], Future[Cargo]] = {}
    waiting = iter(points)
    running: dict[Future[Figures], Job] = {}
    done: SimpleQueue[Future[Figures]] = SimpleQueue()

    def submit(count: int) -> None:
        for job in islice(waiting, count):
            _refuse_custom(job)
            files = tuple(job.files.items())
            if files not in cargo:
                # A task that returns it, not data put there: that would be lost with its worker.
                cargo[files] = client.submit(Cargo, *_cargo(job), pure=True)
            key = f"thinpipe-{job.digest}"
            future = client.submit(work, cargo[files], job.point.settings, key=key)
            running[future] = job
            future.add_done_callback(done.put)

    submit(AHEAD)
    while running:
        future = done.get()
        with _explained(address):
            figures = future.result()
        keep(running.pop(future), figures)
        submit(1)


def work(cargo: Cargo, settings: tuple[tuple[str, str], ...]) -> Figures:
    """Run a point on a worker."""
    if cargo.version != _core.__version__:
        raise ImportError(f"its version is {_core.__version__}, and {cargo.version} is needed")
    with TemporaryDirectory(prefix="thinpipe-") as directory:
        files = []
        for number, (key, content) in enumerate(cargo.files.items()):
            path = Path(directory, str(number))
            path.write_bytes(content)
            files.append((key, str(path)))
        [done] = run_many([Point(cargo.scenario, (*settings, *files))], jobs=1)
    return figures_of(done.json())


def _refuse_custom(job: Job) -> None:
    for name, _ in job.point.algorithms:
        raise ScenarioError(
            f"tcp.congestion_control={name}: a congestion control in Python runs here, "
            "without a scheduler"
        )


def _cargo(job: Job) -> tuple[str, Scenario, dict[str, bytes]]:
    contents = {key: Path(path).read_bytes() for key, path in job.files.items()}
    return _core.__version__, job.point.scenario, contents


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    """Yield a client; what Dask has to say of connections is said by exceptions alone."""
    with undisturbed():
        try:
            from distributed import Client
        except ImportError:
            reason = "Dask is not installed: pip install 'thinpipe[dask]'"
            raise ConnectionError(ECONNREFUSED, reason, address) from None
    try:
        # Apart, as a client that finds nobody complains once more when it is forgotten; and in a
        # thread, as a notebook has a loop of its own in this one.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, _call(address)).result()
        client = Client(address, timeout=f"{PATIENCE_S} s", set_as_default=False)
    except (OSError, ValueError, TypeError):
        reason = "no Dask scheduler answers there; expected an address as in tcp://HOST:8786"
        raise ConnectionError(ECONNREFUSED, reason, address) from None
    with _quiet(), client:
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's loggers silent."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = {each: each.level for each in map(logging.getLogger, names)}
    try:
        for each in loggers:
            each.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for each, level in loggers.items():
            each.setLevel(level)


async def _call(address: str) -> None:
    from distributed.comm.core import connect

    comm = await connect(address, timeout=PATIENCE_S)
    await comm.close()


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Say in a line why a task has no result."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        reason = f"workers died of a point: {error}"
    except ImportError as error:
        reason = f"a worker lacks this thinpipe: {error}"
    except (CancelledError, CommClosedError, TimeoutError):
        reason = "the scheduler is lost; what is done is kept"
    else:
        return
    raise ConnectionError(ECONNRESET, reason, address)
