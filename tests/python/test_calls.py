"""A call that was carried elsewhere is rated as the simulator rates its own."""

import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st

CALL = {
    "flow.group.call.application": "voip",
    "flow.group.call.stop": "8 s",
    "duration": "20 s",
}
POINT = tp.Point.of("umts-384", CALL)


@pytest.mark.parametrize("codec", ["g711", "amr-12.2", "g729a"])
@pytest.mark.parametrize("buffer", ["best", "40 ms"])
def test_delays_of_a_run_are_rated_as_the_run_is(codec, buffer):
    voip = {"flow.group.call.voip.codec": codec, "flow.group.call.voip.buffer": buffer}
    point = tp.Point.of("umts-384", {**CALL, **voip}, flow__count=3)
    run = tp.run(point.scenario, dict(point.settings), trace=True)
    number = next(n for n, flow in enumerate(run.flows) if flow.voip is not None)
    rows = run.datagrams.filter(run.datagrams["flow"] == number)
    delays = [None if row != row else row for row in rows["delay_s"]]  # noqa: PLR0124 - no number
    assert None in delays or buffer == "best"
    call = run.flows[number].voip
    assert call is not None
    assert call.pending == 0
    rated = tp.rate_call(point, "call", delays)
    assert rated.to_dict() == pytest.approx(call.to_dict(), rel=1e-6)


@given(st.lists(st.none() | st.floats(0, 2), min_size=1, max_size=200))
def test_every_frame_is_played_late_or_lost(delays):
    call = tp.rate_call(POINT, "call", delays)
    assert call.played + call.late + call.lost == len(delays)
    assert call.pending == 0
    assert call.mos is not None
    assert 1 <= call.mos <= 4.5
    missing = sum(each is None or each > (call.playout_delay_s or 0) + 1e-9 for each in delays)
    assert call.late + call.lost == missing


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((POINT, "video", [0.1]), tp.ScenarioError, 'umts-384 has no call in a group "video"'),
        ((POINT, "call", [0.1, -1.0]), ValueError, r"delays_s\[1\]: must be 0 to 1e\+06 s, not -1"),
        ((POINT, "call", [float("nan")]), ValueError, r"delays_s\[0\]: must be .*, not nan"),
        ((POINT, "call", 0.1), TypeError, "delays_s: must be a list of seconds"),
        (("umts-384", "call", [0.1]), TypeError, "point: must be a point"),
        ((POINT, 3, [0.1]), TypeError, "group: must be text"),
    ],
)
def test_what_cannot_be_rated_is_refused_in_one_line(arguments, error, said):
    with pytest.raises(error, match=said) as caught:
        tp.rate_call(*arguments)
    assert "\n" not in str(caught.value)
