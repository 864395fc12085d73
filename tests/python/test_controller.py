"""Congestion controls in Python: events, decisions and failures."""

import subprocess
import sys
import traceback
from typing import ClassVar

import pytest
import thinpipe as tp
from thinpipe import controller

CONTROL = "tcp.congestion_control"


class Plain(tp.CongestionControl):
    """A constant window."""

    def on_ack(self, ack): ...
    def on_loss(self, loss): ...


@pytest.fixture
def aimd(root):
    return controller.resolve(f"{root / 'examples' / 'aimd.py'}:Aimd")


@pytest.fixture
def names(monkeypatch):
    """Restore the registry after the test."""
    registered: dict[str, controller.Algorithm] = {}
    monkeypatch.setattr(controller, "_registered", registered)
    return registered


def run(algorithm, settings=(), **more) -> tp.Run:
    return tp.run("plain-384", {CONTROL: algorithm, **dict(settings)}, **more)


@pytest.mark.parametrize("recovery", ["reno", "newreno", "sack"])
def test_reno_in_python_is_reno_in_rust_segment_by_segment(aimd, recovery):
    settings = {"queue.packets": 20, "tcp.recovery": recovery}
    rust, python = (run(each, settings, duration="100 s", trace=True) for each in ("reno", aimd))
    assert python.flows[0].retransmits > 0
    assert python.segments.equals(rust.segments)
    assert python.flows[0].variant == f"aimd+{recovery}"


def test_an_object_is_a_template_of_each_connection(aimd):
    timid = aimd(increase=0.5)
    settings = {"flow.count": 2, "queue.packets": 20}
    first, second = (run(timid, settings, duration="20 s", seed=1) for _ in range(2))
    assert first.flows == second.flows
    assert not hasattr(timid, "window"), "no connection has used the object itself"
    bold = run(aimd(increase=2), settings, duration="20 s", seed=1)
    assert bold.flows != first.flows


def test_a_registered_algorithm_goes_by_its_name(names, tmp_path, root):
    @tp.register
    class Mine(Plain): ...

    assert names == {"mine": Mine}
    assert run("mine", duration="1 s").flows[0].variant == "mine+reno"
    text = (root / "scenarios" / "plain-384.toml").read_text()
    file = tmp_path / "x.toml"
    file.write_text(text.replace("[tcp]", '[tcp]\ncongestion_control = "mine"'))
    assert tp.run(file, duration="1 s").flows[0].variant == "mine+reno"


def test_the_names_of_those_that_ship_are_taken():
    class Reno(Plain): ...

    class Other(Reno):
        name = "mine"

    with pytest.raises(ValueError, match="'reno' ships; give Reno a name of its own"):
        run(Reno)
    key = "flow.group.a.tcp.congestion_control"
    with pytest.raises(ValueError, match=f"^{key}: 'reno' ships; give Reno a name of its own$"):
        tp.run("plain-384", {key: Reno})
    assert run(Other, duration="1 s").flows[0].variant == "mine+reno"


def test_a_file_and_a_class(root):
    path = root / "examples" / "aimd.py"
    assert run(f"{path}:Aimd", duration="1 s").flows[0].variant == "aimd+reno"
    with pytest.raises(
        tp.ScenarioError, match=r"no CongestionControl of that name; .*aimd\.py has Aimd"
    ):
        run(f"{path}:Amid")


def test_an_exception_ends_the_run_with_its_traceback():
    class Boom(Plain):
        calls = 0

        def on_ack(self, ack):  # noqa: ARG002
            Boom.calls += 1
            if Boom.calls == 100:
                raise KeyError("boom")

    with pytest.raises(KeyError, match="boom") as caught:
        run(Boom, duration="100000 s")
    assert Boom.calls == 100, "nothing is told after it"
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "on_ack"


def test_an_exception_ends_all_runs():
    class Boom(Plain):
        made = 0

        def on_start(self):
            Boom.made += 1
            raise RuntimeError(Boom.made)

    points = [tp.Point.of("plain-384", {CONTROL: Boom}) for _ in range(3)]
    with pytest.raises(RuntimeError, match=r"^1$"):
        tp.run_many(points, jobs=3)
    assert Boom.made == 1


def test_runs_of_a_list_are_in_order(aimd):
    points = [
        tp.Point.of("plain-384", {CONTROL: aimd, "queue.packets": packets}, duration="20 s")
        for packets in (5, 10, 20)
    ]
    many = tp.run_many(points, jobs=3)
    for point, each in zip(points, many, strict=True):
        alone = tp.run(point.scenario, dict([*point.settings[1:], (CONTROL, aimd)]))
        assert each.flows == alone.flows


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("window", -3, "Wrong.window = -3: must be a number of bytes, not below zero"),
        ("window", float("nan"), "Wrong.window = nan: must be a number of bytes"),
        ("window", None, "Wrong.window = None: must be a number of bytes"),
        ("ssthresh", "many", "Wrong.ssthresh = 'many': must be a number of bytes"),
        ("pacing_rate", [], r"Wrong.pacing_rate = \[\]: must be a finite number of bit/s"),
        ("pacing_rate", 0, "Wrong.pacing_rate = 0: must be a finite number of bit/s, at least 1"),
        ("pacing_rate", float("inf"), "Wrong.pacing_rate = inf: must be a finite number of bit/s"),
    ],
)
def test_a_decision_that_is_none(attribute, value, message):
    class Wrong(Plain):
        def on_ack(self, ack):  # noqa: ARG002
            setattr(self, attribute, value)

    with pytest.raises(ValueError, match=message):
        run(Wrong)


@pytest.mark.parametrize(
    "value", [dict, tp.Point, object(), None], ids=["dict", "Point", "object", "None"]
)
def test_what_is_no_algorithm(value):
    with pytest.raises(TypeError, match="congestion_control"):
        run(value)


def test_the_window_is_between_a_segment_and_what_may_be_in_flight():
    class Fixed(Plain):
        window = 0.0
        ssthresh = float("inf")

    assert run(Fixed, duration="10 s").flows[0].cwnd_segments.max == 1
    Fixed.window = float("inf")
    assert run(Fixed, duration="10 s").flows[0].cwnd_segments.max == 64


def test_a_window_may_be_computed():
    class Computed(Plain):
        @property
        def window(self):  # type: ignore[override]
            return 5 * self.mss

    settings = {"tcp.slow_start_restart": True}
    assert run(Computed, settings, duration="10 s").flows[0].cwnd_segments.mean == 5


def test_a_start_of_its_own_finds_window_and_threshold():
    class Cautious(Plain):
        began: ClassVar[list[tuple[float, float]]] = []

        def on_start(self):
            self.began.append((self.window, self.ssthresh))
            self.window = 3 * self.mss

    settings = {"tcp.initial_window": 2, "tcp.initial_ssthresh": 9, "tcp.mss": 500}
    assert run(Cautious, settings, duration="10 s").flows[0].cwnd_segments.mean == 3
    assert set(Cautious.began) == {(1000, 4500)}


def test_a_rate_paces():
    class Paced(Plain):
        window = 1e9
        pacing_rate = 100_000

    goodput_bps = run(Paced, duration="100 s").flows[0].goodput_bps
    assert goodput_bps == pytest.approx(100_000, rel=0.1)


def test_what_it_is_told():
    class Curious(Plain):
        wants_rate = True
        acks: ClassVar[list[tp.Ack]] = []
        losses: ClassVar[list[tp.Loss]] = []
        lost: ClassVar[list[tp.LostSegment]] = []

        def on_ack(self, ack):
            self.acks.append(ack)
            self.window += self.mss

        def on_loss(self, loss):
            self.losses.append(loss)
            self.window /= 2

        def on_lost_segment(self, lost):
            self.lost.append(lost)

    settings = {"queue.packets": 20, "tcp.recovery": "sack"}
    flow = run(Curious, settings, duration="20 s").flows[0]
    assert sum(ack.acked for ack in Curious.acks) == flow.bytes_acked
    assert all(ack.in_flight == ack.nxt - ack.una for ack in Curious.acks)
    assert any(ack.rtt_s is not None and ack.rtt_s > 0.12 for ack in Curious.acks)
    rates = [ack.rate for ack in Curious.acks if ack.rate is not None]
    assert rates
    assert all(rate.interval_s >= 0 and rate.total >= rate.prior for rate in rates)
    assert {loss.kind for loss in Curious.losses} <= {"duplicate-acks", "timeout"}
    assert all(loss.transmissions >= 1 and loss.sent_s < loss.now_s for loss in Curious.losses)
    assert Curious.lost


def test_it_hears_of_each_mark():
    class Marked(Plain):
        packets: ClassVar[list[int]] = []
        bytes_: ClassVar[list[int]] = []
        losses: ClassVar[list[str]] = []

        def on_ack(self, ack):
            self.packets.append(ack.marked_packets)
            self.bytes_.append(ack.marked_bytes)
            self.window += self.mss

        def on_loss(self, loss):
            self.losses.append(loss.kind)
            self.window /= 2

    settings = {"queue.kind": "red", "queue.ecn": True, "tcp.ecn": "accurate", "flow.segments": 500}
    result = run(Marked, settings, duration="60 s")
    marks = sum(link.marks for link in result.links)
    assert marks > 0
    assert result.flows[0].completed_s is not None
    assert sum(Marked.packets) == marks
    assert sum(Marked.bytes_) == marks * 512
    assert 0 < Marked.losses.count("ecn") <= marks


@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack", "fack", "rack"])
def test_no_round_trip_waited_for_a_retransmission(recovery):
    class Steady(Plain):
        rtts_s: ClassVar[list[float]] = []

        def on_ack(self, ack):
            self.window = 8 * self.mss
            self.rtts_s.extend([] if ack.rtt_s is None else [ack.rtt_s])

    settings = {"link.loss": "5 %", "tcp.recovery": recovery, "tcp.min_rto": "1 s"}
    flow = run(Steady, settings, duration="100 s").flows[0]
    assert flow.retransmits > 100
    assert min(Steady.rtts_s) > 0.12
    assert max(Steady.rtts_s) < 1, "Karn: it tells of the timer, not of the path"


def test_a_loss_that_is_taken_back():
    made = Plain()
    made.window, made.ssthresh = 1000, 9000
    made.on_undo(1.0, 4000, 8000)
    assert (made.window, made.ssthresh) == (4000, 9000)


def test_the_example_runs(root):
    command = [sys.executable, root / "examples" / "aimd.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    reno, aimd, _timid = done.stdout.splitlines()
    assert reno.split()[1:] == aimd.split()[1:]
