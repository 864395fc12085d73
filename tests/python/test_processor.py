"""How late ends are on a busy machine, from recorded counts of the kernel."""

from dataclasses import dataclass, replace

import pytest
from thinpipe.emulation_record import Lateness
from thinpipe.papers import papers
from thinpipe.testbed.processor import STARVED, Punctuality, Ticks, Waits, repeated

STAT = """cpu  28447 31550 10442 20994 670 0 253 757 0 0
cpu0 11038 16749 4368 14010 39 0 30 346 0 0
intr 1 2 3
"""
LATER = """cpu  28847 32050 10542 21894 670 0 253 857 99 0
cpu0 11038 16749 4368 14010 39 0 30 346 0 0
"""


def test_stolen_time_is_a_share_of_all():
    before, after = Ticks.of(STAT), Ticks.of(LATER)
    assert before == Ticks(28447 + 31550 + 10442 + 20994 + 670 + 253 + 757, 757)
    assert after.stolen_since(before) == pytest.approx(100 / (400 + 500 + 100 + 900 + 100))
    assert before.stolen_since(before) == 0


def test_a_wait_is_the_mean_over_all_times():
    before, after = Waits.of("1500000000 250000000 77\n"), Waits.of("1600000000 350000000 97\n")
    assert before == Waits(77, 0.25)
    assert after.mean_since(before) == pytest.approx(0.005)
    assert before.mean_since(before) == 0


def test_bound_is_below_every_band_of_throughput():
    """An end that is no later cannot have made a comparison fail by itself."""
    bands = [fact for fact in papers()["emulation"].facts if fact.unit == "% above the simulated"]
    assert bands
    assert min(min(-fact.low, fact.high) for fact in bands) > 100 * STARVED


def thread(proc, pid, tid, times, waited_ns, children=""):
    folder = proc / str(pid) / "task" / str(tid)
    folder.mkdir(parents=True)
    (folder / "schedstat").write_text(f"1 {waited_ns} {times}\n")
    (folder / "children").write_text(children)


def test_a_process_is_its_threads_and_its_children(tmp_path):
    thread(tmp_path, 10, 10, 2, 0, "20 30 ")
    thread(tmp_path, 10, 11, 3, 500_000_000)
    thread(tmp_path, 20, 20, 5, 250_000_000)
    assert Waits.of_process(10, tmp_path) == Waits(10, 0.75)  # 30 has ended
    assert Waits.of_process(99, tmp_path) == Waits()


LATENESS = Lateness(samples=9, p50=0.0, p99=0.001, max=0.1, bound=0.005, within_bound=True)
LATE = replace(LATENESS, p99=0.006, within_bound=False)


@pytest.mark.parametrize(
    ("emulator", "ends", "in_time", "starved"),
    [
        (LATENESS, STARVED, True, False),
        (LATENESS, 1.01 * STARVED, False, True),
        # The emulator's own fault.
        (LATE, STARVED, False, False),
        (LATE, 1.01 * STARVED, False, True),
    ],
)
def test_only_late_ends_make_a_run_starved(emulator, ends, in_time, starved):
    found = Punctuality(emulator, ends)
    assert (found.in_time, found.starved) == (in_time, starved)


@dataclass(frozen=True)
class Run:
    number: int
    punctuality: Punctuality


PUNCTUAL = {True: Punctuality(LATENESS, 0.0), False: Punctuality(LATENESS, 1.0)}


@pytest.mark.parametrize(
    ("in_time", "last"), [([True], 0), ([False, True], 1), ([False, False, False, True], 2)]
)
def test_what_is_late_is_repeated_but_not_for_ever(in_time, last):
    runs = iter([Run(number, PUNCTUAL[each]) for number, each in enumerate(in_time)])
    called = []

    def carry(ready):
        ready()
        return next(runs)

    assert repeated(carry, lambda: called.append(1), 3).number == last
    assert called == [1]  # others wait for the first attempt alone
