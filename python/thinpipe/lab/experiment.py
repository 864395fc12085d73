"""Run what a page asks for, and look at it."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from thinpipe.inputs import values_of
from thinpipe.lab.breaks import Done, broken, possible
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.groups import groups
from thinpipe.lab.panel import Layer, Sight, panel_of
from thinpipe.lab.request import SHORTEST_S, Request, RequestError, Settings
from thinpipe.lab.views import KINDS
from thinpipe.plot.shown import flow_names
from thinpipe.point import Point
from thinpipe.report.summary import summary
from thinpipe.run import Run, run_point

MOST_FLOWS: Final = 200
"""A page can show no more flows or mobiles in a way that anybody could read."""

_COUNTS: Final = re.compile(
    r"flow\.(group\.[^.]+\.)?count|radio\.(ues|ue\.[^.]+\.count)|wlan\.mobiles"
)
"""Keys that say how many flows or mobiles there are."""

LONGEST_S: Final = 20.0
"""How long a run may compute, whatever else keeps the machine busy."""

MOST_GROWTH: Final = 2_000_000_000
"""How many bytes a run may add to the process."""

MOST_KEPT: Final = 1_200_000_000
"""How many bytes of runs are kept, so that another look at them needs no new run."""

_RUN_BYTES: Final = 1_000_000
_EVENT_BYTES: Final = 450
"""What a traced run takes, and each event of it: 370 to 440 B on a radio link or in a cell."""

MOST_HELD: Final = 2_000_000_000
"""How many bytes the process may hold before all runs that nobody looks at are given up."""


class CancelledError(Exception):
    """A newer request has taken the place of this one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run that a request needs."""

    point: Point
    number: int
    name: str
    ghost: bool
    breaks: tuple[Done, ...] = ()


class Laboratory:
    """Runs experiments on all processors, and keeps the latest, by their size."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue: Final = catalogue
        self._pool: Final = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="lab")
        self._kept: Final[OrderedDict[tuple[Point, bool], Run]] = OrderedDict()
        self._needed: frozenset[Point] = frozenset()
        self._lock: Final = threading.Lock()

    def answer(self, request: Request, is_cancelled: Callable[[], bool]) -> dict[str, Any]:
        """Run all that a request needs, and return what the page draws.

        Raises
        ------
        RequestError, ScenarioError, ValueError, OSError
            If there is something wrong with it; the message is one line.
        CancelledError
            If `is_cancelled` said so meanwhile.
        """
        began = time.perf_counter()
        wanted = list(self._wanted(request, is_cancelled))
        traced = not request.coarse
        runs = self._all([each.point for each in wanted], is_cancelled, traced=traced)
        simulated = time.perf_counter()
        answer = {
            "number": request.number,
            "duration_s": max(run.result.duration_s for run in runs),
            "runs": [_numbers(each, run) for each, run in zip(wanted, runs, strict=True)],
            **self._looked_at(request, wanted, runs, is_cancelled),
            **_breaks(request, wanted),
        }
        seen = time.perf_counter()
        return {**answer, "run_s": simulated - began, "look_s": seen - simulated}

    def variants(self, request: Request) -> list[Wanted]:
        """Return the run that a request needs of each variant; the errors are those of `answer`."""
        return [each for each in self._wanted(request, lambda: False) if not each.ghost]

    def wanted(self, request: Request, number: int) -> Wanted:
        """Return the run that a request needs of a variant, or of the last if it has fewer."""
        variants = self.variants(request)
        return variants[min(number, len(variants) - 1)]

    def run_of(self, request: Request, number: int) -> Run:
        """Return the traced run of a variant; the errors are those of `answer`."""
        point = self.wanted(request, number).point
        return self._pool.submit(self._run, point, lambda: False, traced=True).result()

    def _wanted(self, request: Request, is_cancelled: Callable[[], bool]) -> Iterable[Wanted]:
        def point_of(settings: Settings) -> Point:
            return self.catalogue.point(request.scenario, settings)

        def run_of(point: Point) -> Run:
            return self._run(point, is_cancelled, traced=True)

        ghosts: list[Wanted] = []
        for number, variant in enumerate(request.variants):
            given = _merged(request.settings, variant)
            settings, done = broken(given, request.breaks, request.flow or 0, point_of, run_of)
            point = point_of(settings)
            name = " ".join(text for _, text in variant) or _name(point)
            yield Wanted(point, number, name, ghost=False, breaks=tuple(done))
            before = request.before if request.before is not None else request.settings
            if request.before is not None or done:
                past = point_of(_merged(before, variant))
                ghosts.append(Wanted(past, number, f"{name}, before", ghost=True))
            if request.without and _has_middlebox(point):
                past = point_of(_merged(settings, (("middlebox.kind", "none"),)))
                ghosts.append(Wanted(past, number, f"{name}, no middlebox", ghost=True))
        yield from ghosts

    def _all(
        self, points: Sequence[Point], is_cancelled: Callable[[], bool], *, traced: bool
    ) -> list[Run]:
        """Run points side by side; when one fails, the others end."""
        has_failed = threading.Event()
        self._needed = frozenset(points)

        def is_over() -> bool:
            return has_failed.is_set() or is_cancelled()

        jobs = [self._pool.submit(self._run, point, is_over, traced=traced) for point in points]
        done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
        if any(job.exception() is not None for job in done):
            has_failed.set()
            raise next(error for job in jobs if job in done and (error := job.exception()))
        return [job.result() for job in jobs]

    def _run(self, point: Point, is_cancelled: Callable[[], bool], *, traced: bool) -> Run:
        with self._lock:
            for trace in (True, traced):
                if (kept := self._kept.get((point, trace))) is not None:
                    self._kept.move_to_end((point, trace))
                    return kept
        if is_cancelled():
            raise CancelledError
        _refuse_crowds(point)
        done = run_point(point, trace=traced, threads=1, progress=_Watch(is_cancelled))
        with self._lock:
            self._kept[point, traced] = done
            self._forget()
        return done

    def _forget(self) -> None:
        """Give up the oldest runs, but none that the newest request looks at."""
        total = sum(_size(run) for run in self._kept.values())
        for key in list(self._kept):
            if total <= MOST_KEPT and _resident() <= MOST_HELD:
                return
            if key[0] not in self._needed:
                total -= _size(self._kept.pop(key))

    def _looked_at(
        self,
        request: Request,
        wanted: list[Wanted],
        runs: list[Run],
        is_cancelled: Callable[[], bool],
    ) -> dict[str, Any]:
        duration_s = max(run.result.duration_s for run in runs)
        start_s, end_s = request.span or (0.0, duration_s)
        end_s = min(end_s, duration_s)
        if end_s - start_s < SHORTEST_S:
            start_s, end_s = 0.0, duration_s
        sights = [
            Sight(
                run,
                each.number,
                each.name,
                request.flow,
                start_s,
                end_s,
                request.columns,
                each.ghost,
                several=len(runs) > 1,
            )
            for each, run in zip(wanted, runs, strict=True)
        ]
        panels, offered = [], []
        for kind in KINDS:
            if is_cancelled():
                raise CancelledError
            is_open = kind.usual if request.panels is None else kind.name in request.panels
            panel = panel_of(kind, sights, request.focus, is_open=is_open)
            if panel is not None:
                offered.append({"name": kind.name, "title": kind.title, "open": is_open})
                panels += [panel] if is_open else []
        for panel in panels:
            if panel["axis"] == "time":
                panel["layers"] += _rules(_focus(request, wanted))
        told_apart = [each.name for each in groups(replace(sights[0], flow=None))]
        return {
            "span": [start_s, end_s],
            "panels": panels,
            "offered": offered,
            "groups": told_apart,
        }


def _name(point: Point) -> str:
    """Return what a run is called that no setting tells from others."""
    values = values_of(point)
    differ = any(key.startswith("flow.group.") for key in values)
    return point.scenario.name if differ else values["tcp.variant"]


def _focus(request: Request, wanted: Sequence[Wanted]) -> Wanted:
    variants = [each for each in wanted if not each.ghost]
    return variants[min(request.focus, len(variants) - 1)]


def _rules(wanted: Wanted) -> list[Layer]:
    """Return a rule for each break, where it begins and where it ends."""
    return [
        {
            "kind": "rules",
            "run": -1,
            "ghost": False,
            "label": f"{each.title} at {each.at_s:.6g} s",
            "x": sorted({each.at_s, each.until_s}),
            "tone": "break",
        }
        for each in wanted.breaks
    ]


def _breaks(request: Request, wanted: Sequence[Wanted]) -> dict[str, Any]:
    """Return what the page shows of breaks, for the variant in focus, and of middleboxes."""
    focus = _focus(request, wanted)
    return {
        "breaks": {
            "possible": possible(values_of(focus.point)),
            "done": [asdict(each) for each in focus.breaks],
        },
        "middlebox": any(_has_middlebox(each.point) for each in wanted if not each.ghost),
    }


def _has_middlebox(point: Point) -> bool:
    return values_of(point).get("middlebox.kind", "none") != "none"


def _merged(settings: Settings, more: Settings) -> Settings:
    return tuple({**dict(settings), **dict(more)}.items())


def _numbers(wanted: Wanted, run: Run) -> dict[str, Any]:
    """Return what `thinpipe run` prints of a run, and two numbers that place it among others."""
    result = run.result
    shown = summary(result)
    goodputs = [flow.goodput_bps for flow in result.flows if flow.goodput_bps is not None]
    delays = [
        flow.network.delay_s.p95 for flow in result.flows if flow.network.delay_s.p95 is not None
    ]
    ends = [flow.completed_s for flow in result.flows if flow.completed_s is not None]
    return {
        "number": wanted.number,
        "name": wanted.name,
        "ghost": wanted.ghost,
        "goodput_bps": sum(goodputs) if goodputs else None,
        "p95_delay_s": max(delays, default=None),
        "jain": result.total.jain_index,
        "timeouts": sum(flow.timeouts for flow in result.flows),
        "retransmits": sum(flow.retransmits for flow in result.flows),
        "completed_s": max(ends) if ends and len(ends) == len(result.flows) else None,
        "tables": [{"columns": table.columns, "rows": table.rows} for table in shown.tables],
        "footer": shown.footer,
        "hints": list(result.hints),
        "flows": flow_names(result.flows),
    }


def _refuse_crowds(point: Point) -> None:
    """Refuse what has more flows or mobiles than a page can show.

    Raises
    ------
    RequestError
        If it has.
    """
    for key, text in values_of(point).items():
        if _COUNTS.fullmatch(key) and int(text) > MOST_FLOWS:
            raise RequestError(
                f"{key}={text}: the lab shows at most {MOST_FLOWS}; `thinpipe run` takes more"
            )


class _Watch:
    """Ends a run that nobody waits for any more, or that takes too much time or memory."""

    def __init__(self, is_cancelled: Callable[[], bool]) -> None:
        self._is_cancelled: Final = is_cancelled
        self._began: Final = time.thread_time()
        self._bytes: Final = _resident()

    def __call__(self, done_s: float, duration_s: float) -> None:
        """Be told how far a run is.

        Raises
        ------
        CancelledError, RequestError
            To end it.
        """
        if self._is_cancelled():
            raise CancelledError
        if time.thread_time() - self._began > LONGEST_S:
            what = f"more than {LONGEST_S:g} s"
        elif _resident() - self._bytes > MOST_GROWTH:
            what = f"more than {MOST_GROWTH / 1e9:g} GB"
        else:
            return
        raise RequestError(
            f"the run takes {what} and was ended at {done_s:.0f} of {duration_s:g} s: "
            "choose a shorter duration, or `thinpipe run`"
        )


def _size(run: Run) -> int:
    """Return about how many bytes a run takes."""
    return _RUN_BYTES + _EVENT_BYTES * run.result.events


def _resident() -> int:
    """Return how much memory the process holds in bytes; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
