"""What commands that run many points share: where these run, and what is kept of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.progress import Bar
from thinpipe.counted import counted
from thinpipe.sweep.journal import journal_of

if TYPE_CHECKING:
    from types import TracebackType

Seeds = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="Seeds of the random numbers, such as 1..10 or 1,2,7."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        parser=arguments.whole("--jobs", 1),
        help="Parallel runs; all processors by default.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the workers of this Dask scheduler, such as tcp://HOST:8786.",
    ),
]


class Counting(Bar):
    """A progress bar that says what is kept when a signal ends the runs."""

    def __init__(self, label: str, total: int, out: Path) -> None:
        super().__init__(label)
        self._done, self._total, self._out = 0, total, out

    def __call__(self, done: float, total: float) -> None:
        """Update the bar."""
        self._done = int(done)
        super().__call__(done, total)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, traceback)
        if self._done and isinstance(error, SystemExit | KeyboardInterrupt):
            sys.stderr.write(
                f"thinpipe: {self._done} of {counted(self._total, 'point')} are kept in "
                f"{self._out.with_name(journal_of(self._out).name)}; the same command goes on\n"
            )


def check_where(jobs: int | None, scheduler: str | None) -> None:
    """Refuse a number of parallel runs on a cluster.

    Raises
    ------
    BadRequestError
        If both are given.
    """
    if jobs is not None and scheduler is not None:
        raise BadRequestError(f"--scheduler {scheduler}: its cluster needs no --jobs {jobs}")


@contextmanager
def scheduled(scheduler: str | None) -> Iterator[None]:
    """Let errors about the cluster name the option."""
    try:
        yield
    except ConnectionError as error:
        raise BadRequestError(f"--scheduler {scheduler}: {error.strerror}") from None
