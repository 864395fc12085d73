"""The ends of a call, of DNS and of a VPN in a test bed."""

from itertools import pairwise

import pytest
from thinpipe.testbed import HOST, Bed, BedError, Fetch, Link, Listener, Plan, bed, vpn
from thinpipe.testbed.dns import Ask
from thinpipe.testbed.media import Hear, Video, Voice

from tests.live.standing import until

pytestmark = pytest.mark.usefixtures("testbed")

PORT, INTERVAL_S, PAYLOAD = 5004, 0.02, 44
SIZE, LIMIT_S = 60_000, 60.0


def sent(made: Bed) -> int:
    """Return the packets that the host has sent."""
    links = made.host.shown("-statistics", "link", "show")
    return sum(int(each["stats64"]["tx"]["packets"]) for each in links if each["ifname"] != "lo")


def check_heard(heard):
    numbers = [number for number, *_ in heard.packets]
    assert numbers == list(range(len(numbers)))
    assert {size for *_, size in heard.packets} == {PAYLOAD}
    # What was sent until it was told to end is there, and takes at least the link's delay.
    assert heard.opened_s is not None
    assert heard.opened_s + heard.packets[-1][1] >= heard.ended_s
    assert all(delay_s > 0.02 for _, _, delay_s, _ in heard.packets)


def test_voice_is_heard_in_order_and_to_its_end():
    with bed(Plan(link=Link("umts-384"))) as made:
        running = []
        for port, host in enumerate(HOST, PORT):
            made.host.send_media(Voice(port, PAYLOAD, INTERVAL_S))
            running.append(made.mobile.hear(Hear(host, port)))
        until(lambda: sent(made) > 100)
        for each in running:
            each.program.terminate()  # twice, which must not cut the report
            [heard] = each.so_far()
            check_heard(heard)


def test_video_is_no_faster_than_it_may_be():
    most_bps = 200e3
    with bed(Plan(link=Link("umts-384"))) as made:
        made.host.send_media(Video(PORT, 150e3, 50e3, most_bps))
        running = made.mobile.hear(Hear(HOST[0], PORT, reports=True))
        until(lambda: sent(made) > 40)
        [heard] = running.so_far()
    times_s = [sent_s for _, sent_s, _, _ in heard.packets]
    assert all(later >= earlier for earlier, later in pairwise(times_s))
    payload = sum(size for *_, size in heard.packets)
    frames = len(set(times_s))
    assert 50e3 <= 8 * payload / (frames / 30) <= most_bps * 1.02


def test_questions_are_answered():
    with bed(Plan()) as made:
        made.host.answer_dns()
        for host in HOST:
            running = made.mobile.ask_dns(Ask(host, period_s=0.02))
            before = sent(made)
            until(lambda: sent(made) > before + 5)  # noqa: B023 - it is called here
            [asked] = running.so_far()
            assert len(asked.questions) > 5
            assert all(took_s is not None for _, took_s in asked.questions)


@pytest.mark.skipif(vpn.missing() is not None, reason=str(vpn.missing()))
def test_a_download_goes_through_the_tunnel_and_nothing_else_does():
    with bed(Plan(link=Link("umts-384"), capture=True)) as made:
        vpn.tunnel(made)
        made.host.serve([Listener(PORT, bytes=SIZE)])
        [fetched] = made.mobile.fetch([Fetch(vpn.HOST_WITHIN, PORT, bytes=SIZE)]).all(LIMIT_S)
        assert (fetched.error, fetched.whole) == ("", True)
        made.finish()
        packets = made.packets.read_text(encoding="utf-8")
    assert '"protocol":17' in packets
    assert '"protocol":6' not in packets


def test_an_endless_download_says_what_came_once_it_is_told_to_end():
    with bed(Plan(link=Link("umts-384"))) as made:
        made.host.serve([Listener(PORT, bytes=100 * SIZE)], 1)
        task = Fetch(HOST[0], PORT, does="drink", bytes=100 * SIZE)
        running = made.mobile.fetch([task])
        until(lambda: sent(made) > 30)
        [fetched] = running.so_far()
    assert (fetched.error, fetched.whole) == ("", False)
    assert 0 < fetched.bytes < 100 * SIZE
    assert fetched.bytes >= fetched.curve[-1][1]


def test_what_does_not_begin_says_so():
    said = r"^host: it does not begin: OSError: \[Errno 98\] Address already in use$"
    with bed(Plan()) as made:
        made.host.answer_dns()
        with pytest.raises(BedError, match=said):
            made.host.answer_dns()
