"""The registered papers: entry points of the group ``thinpipe.papers``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from thinpipe.papers.paper import Paper

GROUP: Final = "thinpipe.papers"
OURS: Final = "thinpipe"


class PaperError(Exception):
    """A registered paper cannot be used; one line names distribution, entry point and reason.

    `paper` is the paper's id.
    """

    def __init__(self, line: str, paper: str = "") -> None:
        super().__init__(line)
        self.paper = paper


@dataclass(frozen=True, slots=True)
class Registration:
    """A paper that an installed distribution registers.

    Attributes
    ----------
    entry
        Its entry point, whose name is the paper's id.
    first
        The distribution that registered this id before; normally empty.
    """

    entry: EntryPoint
    first: str = ""

    @property
    def id(self) -> str:
        """The paper's id."""
        return self.entry.name

    @property
    def distribution(self) -> str:
        """The distribution that registers it."""
        return self.entry.dist.name if self.entry.dist is not None else ""

    def load(self) -> Paper:
        """Import the paper.

        Raises
        ------
        PaperError
            If the id is taken, the import fails, or its result is not a paper of that id.
        """
        from thinpipe.papers.paper import Paper

        if self.first:
            raise self.error(f"{self.first} has a paper of that name")
        try:
            paper = self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.error(error) from error
        if not isinstance(paper, Paper):
            raise self.error(f"is no thinpipe.papers.paper.Paper but {type(paper).__name__}")
        if paper.id != self.id:
            raise self.error(f"the paper's id is {paper.id!r}")
        return paper

    def error(self, reason: str | BaseException) -> PaperError:
        """Return an error for this paper, its text one line."""
        if isinstance(reason, BaseException):
            reason = f"{type(reason).__name__}: {reason}"
        line = f"paper {self.id} of {self.distribution} ({self.entry.value}): {reason}"
        return PaperError(" ".join(line.split()), self.id)


def registrations() -> tuple[Registration, ...]:
    """Return all registered papers: ours first, each distribution's in alphabetical order.

    Raises
    ------
    PaperError
        If ours are not registered, as in a source tree that has not been installed.
    """
    from importlib.metadata import entry_points

    found = [Registration(entry) for entry in entry_points(group=GROUP)]
    found.sort(key=lambda each: (each.distribution != OURS, each.distribution, each.id))
    if not found or found[0].distribution != OURS:
        raise PaperError(
            "no papers: they are entry points of the installed package; `make build` installs it"
        )
    owners: dict[str, str] = {}
    return tuple(
        each
        if owners.setdefault(each.id, each.distribution) == each.distribution
        else Registration(each.entry, owners[each.id])
        for each in found
    )
