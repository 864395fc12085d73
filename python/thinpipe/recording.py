"""The results of a run, finished or loaded from disk."""

from __future__ import annotations

import os
import shutil
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, Final, TypeVar

from thinpipe.arguments import check
from thinpipe.cell_result import Cell
from thinpipe.counted import counted
from thinpipe.files import (
    MANIFEST,
    ContentError,
    atomic_directory,
    listed,
    read_listed,
    write_file,
    write_manifest,
)
from thinpipe.inputs import INPUTS_FILE
from thinpipe.middlebox_result import Middlebox
from thinpipe.result import Energy, Flow, Link, Mobile, Radio, Result
from thinpipe.scenario import Scenario
from thinpipe.signals import signals_deferred
from thinpipe.tables import (
    APPLICATION,
    CELL,
    MIDDLEBOX,
    MOBILE,
    RADIO,
    TRACED,
    VEGAS,
    NoTableError,
)

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.plot.plots import Plots

R = TypeVar("R", bound="Recording")

RESULT_FILE: Final = "result.json"
SCENARIO_FILE: Final = "scenario.toml"
"""The scenario's text."""


class Recording(ABC):
    """The metrics, tables and plots of a run.

    Tables are polars data frames (``.to_pandas()`` for pandas); times are seconds of the
    simulation. Every run has ``rtt``, ``cwnd``, ``events`` and ``capacity``; ``segments``,
    ``blocks``, ``snr``, ``power``, ``hops`` and ``queue`` need a run with ``trace=True``.
    """

    @property
    @abstractmethod
    def result(self) -> Result:
        """All metrics of the run."""

    wall_s: float | None = None
    """How long it took, in seconds; ``None`` if it was not now."""

    def to_dict(self) -> dict[str, Any]:
        """Return all metrics as nested dicts and lists, as in ``thinpipe run --json``."""
        return self.result.to_dict()

    @abstractmethod
    def _table(self, name: str) -> pl.DataFrame:
        """Return a table, or raise `ValueError` if the run was not recorded with it."""

    @property
    def flows(self) -> Sequence[Flow]:
        """The TCP connections and UDP flows."""
        return self.result.flows

    @property
    def links(self) -> Sequence[Link]:
        """The links, one entry per direction."""
        return self.result.links

    @property
    def radio(self) -> Radio | None:
        """Metrics of the radio blocks; ``None`` without a radio."""
        return self.result.radio

    @property
    def energy(self) -> Energy | None:
        """Energy of the radios of all mobiles; ``None`` if their radio has no powers."""
        return self.result.energy

    @property
    def mobiles(self) -> Sequence[Mobile]:
        """Energy of each mobile's radio; empty if their radio has no powers."""
        return self.result.mobiles

    @property
    def cell(self) -> Cell | None:
        """Metrics of the cells; ``None`` without a network of cells."""
        return self.result.cell

    @property
    def middlebox(self) -> Middlebox | None:
        """Metrics of the middlebox; ``None`` without one."""
        return self.result.middlebox

    @property
    def rtt(self) -> pl.DataFrame:
        """Round-trip times (``rtt_s``) of segments sent once, when each was acknowledged."""
        return self._table("rtt")

    @property
    def cwnd(self) -> pl.DataFrame:
        """Congestion window, capped by the receiver's, and ssthresh: one row per change."""
        return self._table("cwnd")

    @property
    def base_rtt(self) -> pl.DataFrame:
        """Vegas' baseRTT: one row per change."""
        return self._table("base_rtt")

    @property
    def events(self) -> pl.DataFrame:
        """What happened to each flow: established, timeouts, fast retransmits, completed."""
        return self._table("events")

    @property
    def segments(self) -> pl.DataFrame:
        """TCP segments at each endpoint and at a middlebox, numbered from 0 for the SYN."""
        return self._table("segments")

    @property
    def blocks(self) -> pl.DataFrame:
        """Radio blocks, with the start of the TTI in which each was sent."""
        return self._table("blocks")

    @property
    def snr(self) -> pl.DataFrame:
        """The ratios of signal to noise that blocks met: one row per change, of each direction.

        Of cells of LTE, NR, HSDPA and NB-IoT. ``ue`` counts their mobiles from 0.
        """
        return self._table("snr")

    @property
    def power(self) -> pl.DataFrame:
        """What mobiles' radios draw: one row per change of a mobile's state, from its first on.

        ``mobile`` is a number in `mobiles`. ``power_w`` is that of the state without what is
        carried; ``energy_j`` is what the mobile has used so far, with what was carried.
        """
        return self._table("power")

    @property
    def hops(self) -> pl.DataFrame:
        """When each packet entered and left each link and the radio, and where it was dropped."""
        return self._table("hops")

    @property
    def queue(self) -> pl.DataFrame:
        """Queues of links and bearers: one row per packet that came, left or was dropped.

        ``uid`` is the packet's number, as in ``segments`` and ``hops``. ``packets`` and ``bytes``
        wait after it; a packet that is being sent waits no longer, so that ``delay_s`` of a
        ``dequeued`` packet ends with its first bit. ``reason`` is that of a drop, which may come
        later than the queue: on the wire, or by RLC. A radio dequeues what it begins to send; of
        GPRS what is in the core network waits, too.
        """
        return self._table("queue")

    @property
    def capacity(self) -> pl.DataFrame:
        """What each link could carry, in bit/s from ``time_s`` to its next row.

        Rates as they change, zero in an outage of a radio, null without limit; of a trace means
        over a thousandth of the run, 100 ms at least. A radio's is the rate of its channel, with
        headers and errors. Links without a rate and shared channels have no row.
        """
        return self._table("capacity")

    @property
    def pages(self) -> pl.DataFrame:
        """Complete pages of web flows, with their response times."""
        return self._table("pages")

    @property
    def echoes(self) -> pl.DataFrame:
        """Echoes of telnet flows, with the time from keystroke to echo."""
        return self._table("echoes")

    @property
    def probes(self) -> pl.DataFrame:
        """Probes that arrived, with their one-way delays."""
        return self._table("probes")

    @property
    def datagrams(self) -> pl.DataFrame:
        """UDP datagrams, by the time when each was sent.

        ``arrived_s`` and ``delay_s`` are null if it has not arrived; ``lost_at`` is the link or
        host that dropped it, ``lost_by`` the reason.
        """
        return self._table("datagrams")

    @property
    def rrc(self) -> pl.DataFrame:
        """RRC state changes of the mobiles in a network of cells."""
        return self._table("rrc")

    @property
    def codes(self) -> pl.DataFrame:
        """Code allocations and releases in each cell, and blocked requests."""
        return self._table("codes")

    @property
    def handovers(self) -> pl.DataFrame:
        """Cells added to, removed from or replaced in active sets, and radio link failures.

        Of LTE and NR where there are some.
        """
        return self._table("handovers")

    @property
    def common(self) -> pl.DataFrame:
        """Blocks on each cell's FACH (down) and RACH (up), per second of use."""
        return self._table("common")

    @property
    def middlebox_backlog(self) -> pl.DataFrame:
        """A middlebox's backlog and window for each mobile: one row per change."""
        return self._table("middlebox_backlog")

    @property
    def middlebox_rtt(self) -> pl.DataFrame:
        """Round-trip times between a middlebox and its mobiles."""
        return self._table("middlebox_rtt")

    @property
    def middlebox_events(self) -> pl.DataFrame:
        """A middlebox's retransmissions, stalls and recoveries of mobiles, zero windows."""
        return self._table("middlebox_events")

    @property
    def middlebox_waits(self) -> pl.DataFrame:
        """Packets that a middlebox does not read, when each waits for its turn no longer.

        ``waited_s`` is how long it did, ``release`` what became of it: ``sent``, ``marked`` (sent
        with a mark), or dropped as ``late`` or ``crowded``.
        """
        return self._table("middlebox_waits")

    @property
    def middlebox_echoes(self) -> pl.DataFrame:
        """Answers of mobiles to a middlebox's echo requests, with their round-trip times."""
        return self._table("middlebox_echoes")

    @property
    def middlebox_rates(self) -> pl.DataFrame:
        """What a middlebox estimates that each mobile's radio carries, and what that reports.

        One row per change, where ``middlebox.atcp.estimator`` is not static.
        """
        return self._table("middlebox_rates")

    @property
    def mobility(self) -> pl.DataFrame:
        """Events of mobiles and their agents: links, addresses, messages, bindings.

        ``subject`` is the access router of a link or an advertisement, an address, or the other
        end of ``message``. ``care_of`` is the care-of address of a binding: in ``bound`` events of
        agents, and in ``registered`` events of mobiles.
        """
        return self._table("mobility")

    @property
    def plot(self) -> Plots:
        """Plots of the run: ``run.plot()`` for an overview, or such as ``run.plot.cwnd()``."""
        from thinpipe.plot.plots import Plots

        return Plots(self)

    def __repr__(self) -> str:
        result = self.result
        flows = counted(len(result.flows), "flow")
        kind = type(self).__name__
        return f"<{kind} {result.scenario} seed {result.seed}: {flows}, {result.duration_s:g} s>"

    def _repr_html_(self) -> str:
        from thinpipe.report.summary import run_as_html

        return run_as_html(self.result, self.wall_s)


class CompleteRecording(Recording):
    """A recording with everything of its run, so that it can be saved and pickled."""

    @property
    @abstractmethod
    def scenario(self) -> Scenario:
        """What was run, without the settings."""

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write ``result.json``, one Parquet file per table and, with a trace, captures.

        ``scenario.toml`` and ``inputs.json`` keep what was run, for `thinpipe.again`. Equal runs
        write equal files.

        There is one capture per host; in a network through which mobiles move, one per node.
        ``trace="ns2"`` adds ``ns2.tr``, a trace file of ns-2, and ``ns2.nodes``, the names of its
        node numbers.

        The directory appears complete or not at all; ``thinpipe.sha256`` lists its files. An
        earlier run's directory is replaced; it is an error if it holds other or changed files.

        Raises
        ------
        OSError
            If the directory cannot be written, or holds other or changed files.
        """
        check(directory=directory)
        with atomic_directory(Path(directory)) as partial:
            self.write_files(partial)

    @abstractmethod
    def write_files(self, directory: Path) -> None:
        """Write the files of `save` into an existing directory.

        Raises
        ------
        OSError
            If a file cannot be written.
        """

    def __reduce__(self) -> tuple[Callable[[dict[str, bytes]], SavedRun], tuple[dict[str, bytes]]]:
        """Pickle it as the files that `save` writes, which a `SavedRun` reads."""
        with TemporaryDirectory(prefix="thinpipe-") as directory:
            self.write_files(Path(directory))
            files = {file.name: file.read_bytes() for file in sorted(Path(directory).iterdir())}
        return _unpickled, (files,)


class SavedRun(CompleteRecording):
    """A run loaded from disk; each table is read on first access."""

    def __init__(self, directory: Path, result: Result) -> None:
        self.directory: Final = directory
        self._result: Final = result
        self._tables: Final[dict[str, pl.DataFrame]] = {}

    @property
    def scenario(self) -> Scenario:
        """What was run, without the settings."""
        source = read_listed(self.directory, SCENARIO_FILE)
        return Scenario(self.result.scenario, source.decode())

    def write_files(self, directory: Path) -> None:
        """Write the files of `save` into an existing directory.

        Raises
        ------
        OSError
            If a file cannot be read or written.
        ValueError
            If a file is damaged.
        """
        for name in listed(self.directory):
            if name != MANIFEST:
                write_file(directory / name, read_listed(self.directory, name))

    @property
    def result(self) -> Result:
        """All metrics of the run."""
        return self._result

    def _table(self, name: str) -> pl.DataFrame:
        if name not in self._tables:
            self._tables[name] = _read(self.directory, name)
        return self._tables[name]


def load(directory: str | os.PathLike[str]) -> SavedRun:
    """Load a run from the directory that `Run.save` or ``thinpipe run --out`` wrote.

    Raises
    ------
    OSError
        If it is not the directory of a run, or cannot be read.
    ValueError
        If a file in it is damaged or was changed; of tables only when they are used.

    Examples
    --------
    >>> load("out").plot.time_sequence(start_s=10, end_s=20)  # doctest: +SKIP
    """
    path = run_directory(directory)
    content = read_listed(path, RESULT_FILE)
    for name in (SCENARIO_FILE, INPUTS_FILE):  # figures of something else than they name are none
        if name in listed(path):
            read_listed(path, name)
    try:
        result = Result.from_json(content.decode())
    except ValueError:
        reason = "does not hold the figures of a run of this version"
        raise ContentError(f"{path / RESULT_FILE}: {reason}") from None
    return SavedRun(path, result)


def run_directory(directory: str | os.PathLike[str]) -> Path:
    """Return the path of a saved run.

    Raises
    ------
    OSError
        If it is not the directory of a run, or cannot be read.
    """
    check(directory=directory)
    path = Path(directory)
    if path.is_file():
        beside = path.with_name(RESULT_FILE).exists()
        valid = f"; expected its directory, {path.parent}" if beside else ""
        raise NotADirectoryError(f"{path}: is a file, not a run's directory{valid}")
    if RESULT_FILE not in os.listdir(path):  # noqa: PTH208 - its error names the path
        raise NotADirectoryError(f"{path}: is no run's directory: it has no {RESULT_FILE}")
    return path


def distinct(runs: Iterable[R]) -> Iterator[R]:
    """Yield runs.

    Raises
    ------
    ValueError
        If two are of one directory.
    """
    seen: set[Path] = set()
    for run in runs:
        if isinstance(run, SavedRun):
            place = run.directory.resolve()
            if place in seen:
                raise ValueError(f"{run.directory}: the same run as another one; give it once")
            seen.add(place)
        yield run


def _unpickled(files: dict[str, bytes]) -> SavedRun:
    """Return a run whose directory is a temporary one, which goes with it."""
    directory = mkdtemp(prefix="thinpipe-")
    for name, content in files.items():
        write_file(Path(directory, name), content)
    write_manifest(Path(directory))
    run = load(directory)
    weakref.finalize(run, shutil.rmtree, directory, ignore_errors=True)
    return run


def _read(directory: Path, name: str) -> pl.DataFrame:
    with signals_deferred():  # Rust panics if its look for numpy is interrupted
        import polars as pl

        file = directory / f"{name}.parquet"
        if file.name in listed(directory):
            if not file.exists():
                raise ContentError(f"{file}: is missing, so {directory} has no table {name}")
        elif name in (*CELL, *MIDDLEBOX, *MOBILE, *VEGAS, *APPLICATION) or (
            name in RADIO and "hops.parquet" in listed(directory)
        ):
            reason = "nothing of the kind was in the run"
            raise NoTableError(f"{directory} has no {file.name}: {reason}")
        elif name in TRACED:
            raise NoTableError(f"{directory} has no {file.name}; it needs a run with trace=True")
        try:
            return pl.read_parquet(read_listed(directory, file.name))
        except pl.exceptions.PolarsError:
            raise ContentError(f"{file}: is no table of a run") from None
