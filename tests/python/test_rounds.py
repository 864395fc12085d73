"""Vegas' round trips, from a traced run."""

import numpy as np
import pytest
from thinpipe.papers.lo2005.experiments import point
from thinpipe.papers.lo2005.model import PATH
from thinpipe.papers.lo2005.rounds import Rounds
from thinpipe.papers.outcomes import Detail, collect


@pytest.fixture(scope="module")
def rounds():
    vegas = point("vegas", 5, 1, (("duration", "300 s"),))
    return Rounds.of(collect([(vegas, Detail.TRACE)])[vegas], PATH.mss)


def test_round_trips_are_as_many_as_fit(rounds):
    assert np.isclose(rounds.mean_rtt_s.sum(), 300, rtol=0.05)
    assert set(rounds.flight) <= {2, 3, 4, 5, 6, 7}


def test_rounded_delta_of_3_5_shrinks_and_less_does_not(rounds):
    delta = rounds.flight * (1 - 0.12 / rounds.mean_rtt_s)
    shrank = rounds.after < rounds.before
    assert shrank.any()
    assert (shrank == (delta >= 3.5)).all()


def test_share_counts_the_chosen_alone(rounds):
    assert rounds.share_fallen(rounds.at(6, 0.3)) == 1.0
    assert rounds.share_fallen(rounds.at(6, 0.0)) < 0.5
    assert rounds.share_kept(rounds.at(5, 0.19, 0.21)) == 1.0
