"""QUIC's ends of a test bed."""

import pytest
from thinpipe.testbed import HOST, Bed, Link, Plan, QuicFetch, QuicListener, bed, quic

from tests.live.standing import until

pytestmark = [
    pytest.mark.usefixtures("testbed"),
    pytest.mark.skipif(quic.missing() is not None, reason=str(quic.missing())),
]

PORT, SIZE, LIMIT_S = 4433, 100_000, 60.0


def check_rising(fetched):
    times_s, amounts = zip(*fetched.curve, strict=True)
    assert list(times_s) == sorted(times_s)
    assert list(amounts) == sorted(amounts)
    assert fetched.connect_s < times_s[0]
    assert amounts[-1] <= fetched.bytes


def came(made: Bed) -> int:
    """Return the bytes that have come to the mobile, headers included."""
    links = made.mobile.shown("-statistics", "link", "show")
    return sum(int(each["stats64"]["rx"]["bytes"]) for each in links if each["ifname"] != "lo")


def test_a_download_is_complete():
    with bed(Plan()) as made:
        made.host.serve_quic(QuicListener(PORT, SIZE, "cubic"))
        for host in HOST:
            task = QuicFetch(host, PORT, SIZE, LIMIT_S)
            [fetched] = made.mobile.fetch_quic(task).all(2 * LIMIT_S)
            assert (fetched.error, fetched.bytes) == ("", SIZE)
            check_rising(fetched)


def test_a_download_ends_when_it_is_told_to():
    with bed(Plan(link=Link("umts-384"))) as made:
        made.host.serve_quic(QuicListener(PORT, 100 * SIZE))
        running = made.mobile.fetch_quic(QuicFetch(HOST[0], PORT, 100 * SIZE, LIMIT_S))
        until(lambda: came(made) > SIZE)
        [fetched] = running.so_far()
        assert fetched.error == ""
        assert 0 < fetched.bytes < 100 * SIZE
        check_rising(fetched)
