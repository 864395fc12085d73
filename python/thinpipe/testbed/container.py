"""Run tasks in a container: PID, mount and network namespaces that end with this process.

The container's first process reads a pipe from this one. When the pipe closes, also because this
process was killed, the first process exits, and the kernel kills all others in its PID namespace
and removes their interfaces. What tasks write to the temporary directory is in one of ours.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, BrokenBarrierError, Semaphore, Thread
from typing import Any, Final, Generic, TypeVar, cast

from thinpipe.signals import signals_deferred
from thinpipe.testbed.ends import END_S, BedError

KeyT = TypeVar("KeyT")

Ready = Callable[[], object]

Task = Callable[[Ready], Any]
"""Returns its result. It calls its argument once it has set up all that it needs; the call returns
when all tasks have: setting up needs processor time, and would disturb what is measured."""


class Results(Generic[KeyT]):
    """The results of tasks, by their keys."""

    def __init__(self, answers: Connection, errors: Path) -> None:
        self._answers: Final = answers
        self._errors: Final = errors
        self._done: Final[dict[KeyT, tuple[Any, Exception | None]]] = {}

    def wait(self, key: KeyT) -> Any:  # noqa: ANN401 - whatever the task returned
        """Wait for the result of a task.

        Raises
        ------
        BedError
            If the container ended before.
        Exception
            Whatever the task raised.
        """
        while key not in self._done:
            done, result, error = self._next()
            self._done[done] = result, error
        result, error = self._done[key]
        if error is not None:
            raise error
        return result

    def _next(self) -> tuple[KeyT, Any, Exception | None]:
        try:
            answer: tuple[KeyT, Any, Exception | None] = self._answers.recv()
        except (EOFError, OSError):
            said = self._errors.read_text(encoding="utf-8").strip().splitlines()
            raise BedError((said or ["the container ended"])[-1]) from None
        return answer


def unshared() -> list[str]:
    """Return the command prefix that starts a program as the first of a container."""
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *root, "--net", "--pid", "--mount-proc", "--kill-child", "--"]


@contextmanager
def container(tasks: Mapping[KeyT, Task]) -> Iterator[Results[KeyT]]:
    """Run tasks in parallel in a container, which ends with the block.

    Parameters
    ----------
    tasks
        By their keys. Tasks, keys, results and errors must be picklable.
    """
    with ExitStack() as stack:
        with signals_deferred():
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="thinpipe-")))
            folder.chmod(0o711)  # daemons drop root, and have files in it
            process = _start(folder)
            stack.callback(_end, process)
        assert process.stdin is not None
        assert process.stdout is not None
        answers = Connection(os.dup(process.stdout.fileno()), writable=False)
        stack.enter_context(answers)
        with suppress(BrokenPipeError):  # it has ended, and said why
            pickle.dump(tasks, process.stdin)
            process.stdin.flush()
        yield Results(answers, folder / ERRORS)


def _start(folder: Path) -> subprocess.Popen[bytes]:
    with (folder / ERRORS).open("w", encoding="utf-8") as errors:
        return subprocess.Popen(
            [*unshared(), sys.executable, "-c", FIRST],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "TMPDIR": str(folder)},
            process_group=0,  # Ctrl-C is for this process
        )


ERRORS: Final = "errors"
FIRST: Final = "from thinpipe.testbed.container import first; first()"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe, and wait until all processes of the container are gone."""
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):
            cast("Any", pipe).close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def first() -> None:
    """Be the first process of a container: run the tasks that standard input brings."""
    try:
        tasks: Mapping[Any, Task] = pickle.load(sys.stdin.buffer)
    except (EOFError, pickle.UnpicklingError):  # the other process has ended
        return
    Thread(target=_exit_at_end_of_input, daemon=True).start()
    answers = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what programs print is no answer
    turns, all_ready = Semaphore(AT_ONCE), Barrier(len(tasks))
    with ThreadPoolExecutor(len(tasks)) as pool:
        running = {pool.submit(_run, task, turns, all_ready): key for key, task in tasks.items()}
        for done in as_completed(running):
            error = done.exception()
            answer = (running[done], done.result() if error is None else None, error)
            answers.send(answer)


def _exit_at_end_of_input() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


def _run(task: Task, turns: Semaphore, all_ready: Barrier) -> Any:  # noqa: ANN401 - as `wait`
    def ready() -> None:
        turn.close()
        with suppress(BrokenBarrierError):
            all_ready.wait()

    with ExitStack() as turn:
        turn.enter_context(turns)
        try:
            return task(ready)
        finally:
            all_ready.abort()  # the others have passed it, or must not wait for this one


AT_ONCE: Final = 2 * (os.cpu_count() or 1)
"""So many tasks set up at a time: all at once, each would take as long as all."""
