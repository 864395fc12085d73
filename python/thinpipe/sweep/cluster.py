"""A sweep on a Dask cluster: each point is a pure task, which Dask repeats if it is lost."""

from __future__ import annotations

import asyncio
import json
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
from thinpipe.signals import signals_deferred
from thinpipe.sweep.metrics import Metrics, metrics_of

if TYPE_CHECKING:
    from distributed import Client, Future

    from thinpipe.sweep.plan import Job
    from thinpipe.sweep.running import Keep

CONNECT_TIMEOUT_S: Final = 3
"""Limit for the scheduler to answer, in seconds."""

AHEAD: Final = 256
"""Maximum number of points submitted at a time."""


@dataclass(frozen=True, slots=True)
class TaskInput:
    """A task's input beside the settings, with file contents: workers may share no file system."""

    version: str
    scenario: Scenario
    files: Mapping[str, bytes]
    """File contents by key."""


def run_on(address: str, points: Iterable[Job], keep: Keep) -> None:
    """Run jobs on the workers of a scheduler.

    Raises
    ------
    ConnectionError
        If no scheduler answers, the connection is lost, or a point keeps killing workers.
    ScenarioError
        For a congestion control in Python, which exists only in this process.
    """
    with _connected(address) as client:
        _run(client, address, points, keep)


def _run(client: Client, address: str, points: Iterable[Job], keep: Keep) -> None:
    task_input: dict[tuple[tuple[str, str], ...], Future[TaskInput]] = {}
    waiting = iter(points)
    running: dict[Future[Metrics], Job] = {}
    done: SimpleQueue[Future[Metrics]] = SimpleQueue()

    def submit(count: int) -> None:
        for job in islice(waiting, count):
            _refuse_custom(job)
            files = tuple(job.files.items())
            if files not in task_input:
                # A task, not scattered data, which would be lost with its worker.
                task_input[files] = client.submit(TaskInput, *_task_input(job), pure=True)
            key = f"thinpipe-{job.digest}"
            future = client.submit(work, task_input[files], job.point.settings, key=key)
            running[future] = job
            future.add_done_callback(done.put)

    submit(AHEAD)
    while running:
        future = done.get()
        with _explained(address):
            figures = future.result()
        keep(running.pop(future), figures)
        submit(1)


def work(task_input: TaskInput, settings: tuple[tuple[str, str], ...]) -> Metrics:
    """Run a point on a worker."""
    if task_input.version != _core.__version__:
        raise ImportError(f"its version is {_core.__version__}, and {task_input.version} is needed")
    with TemporaryDirectory(prefix="thinpipe-") as directory:
        files = []
        for number, (key, content) in enumerate(task_input.files.items()):
            path = Path(directory, str(number))
            path.write_bytes(content)
            files.append((key, str(path)))
        [done] = run_many([Point(task_input.scenario, (*settings, *files))], jobs=1)
    return metrics_of(json.loads(done.json()))


def _refuse_custom(job: Job) -> None:
    for name, _ in job.point.algorithms:
        raise ScenarioError(
            f"tcp.congestion_control={name}: a congestion control in Python runs here, "
            "without a scheduler"
        )


def _task_input(job: Job) -> tuple[str, Scenario, dict[str, bytes]]:
    contents = {key: Path(path).read_bytes() for key, path in job.files.items()}
    return _core.__version__, job.point.scenario, contents


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    """Yield a client; errors of the connection are exceptions only, without Dask's log."""
    with signals_deferred():
        try:
            from distributed import Client
        except ImportError:
            reason = "Dask is not installed: pip install 'thinpipe[dask]'"
            raise ConnectionError(ECONNREFUSED, reason, address) from None
    try:
        # A trial connection first, because an unconnected client logs again when it is collected;
        # in a thread, because a notebook already runs an event loop in this one.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, _call(address)).result()
        client = Client(address, timeout=f"{CONNECT_TIMEOUT_S} s", set_as_default=False)
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

    comm = await connect(address, timeout=CONNECT_TIMEOUT_S)
    await comm.close()


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Turn a failed task into an error of one line."""
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
