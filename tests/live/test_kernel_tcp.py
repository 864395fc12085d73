"""Our endpoint against the kernel's TCP, an independent implementation."""

import hashlib
import itertools
import math
import random
from types import SimpleNamespace

import pytest

MEGABYTE = 1_000_000
SIZE = 50 * MEGABYTE
WRAP = 1 << 32
DISTURBED: dict[str, object] = {
    "delay": 0.0002,
    "loss": 0.01,
    "duplication": 0.005,
    "reordering": 0.01,
    "lateness": 0.0003,
}


@pytest.fixture
def source(tmp_path):
    """Write a deterministic file of a given size."""

    def write(size: int, seed: int = 1):
        file = tmp_path / f"source-{seed}"
        file.write_bytes(random.Random(seed).randbytes(size))
        return file

    return write


def sha256(file) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def behind(seq: int, start: int) -> int:
    """Return how far `seq` lies behind `start`, around the wrap; negative if before."""
    return (seq - start + WRAP // 2) % WRAP - WRAP // 2


# Opening.


@pytest.mark.parametrize("opener", ["ours", "kernel"])
@pytest.mark.parametrize("kernel_scales", [True, False])
def test_both_agree_on_segment_size_and_window_scale(namespace, opener, kernel_scales):
    namespace.sysctl("tcp_window_scaling", int(kernel_scales))
    options = {"capture": namespace.directory, "close": "peer"}
    outcome = namespace.talk(opener, [], options, {"tcp.mss": "1000"})
    assert outcome.status == 0
    assert outcome.kernel["info"]["send_mss"] == 1000
    assert ("window scale" in outcome.kernel["info"]["options"]) == kernel_scales
    syns = [packet for packet in outcome.at_kernel if "S" in packet.flags]
    assert [(syn.ours, syn.flags) for syn in syns] == [
        (opener == "ours", "S"),
        (opener != "ours", "SA"),
    ]
    assert [syn.mss for syn in syns if not syn.ours] == [1460]
    [own] = [syn.scale for syn in syns if syn.ours]
    if kernel_scales:
        assert own == outcome.kernel["info"]["peer_scale"] == 4
    elif opener == "kernel":
        assert own is None


def test_a_port_without_listener_refuses(namespace):
    peer = namespace.run_peer("ours", {}, {})
    assert peer.returncode == 0
    assert '"states":["SynSent","Closed"]' in peer.stderr


# Bytes.


@pytest.mark.parametrize("opener", ["ours", "kernel"])
@pytest.mark.parametrize("sender", ["ours", "kernel"])
def test_fifty_megabytes_arrive_whole(namespace, source, tmp_path, opener, sender):
    transfer(namespace, source(SIZE), tmp_path / "sink", opener, sender, {})


@pytest.mark.parametrize("sender", ["ours", "kernel"])
def test_bytes_arrive_whole_over_a_bad_wire_without_options(namespace, source, tmp_path, sender):
    outcome = transfer(
        namespace, source(20 * MEGABYTE), tmp_path / "sink", "ours", sender, DISTURBED
    )
    for direction in ("inward", "outward"):
        counters = outcome.peer[direction]
        assert counters["lost"] > counters["packets"] / 200
        assert counters["twice"] > counters["packets"] / 400
        assert counters["late"] > counters["packets"] / 200


def test_bytes_arrive_whole_both_ways_at_once_over_a_bad_wire(namespace, source, tmp_path):
    ours, theirs = source(5 * MEGABYTE, 1), source(5 * MEGABYTE, 2)
    steps = [f"both:{theirs}:{tmp_path / 'kernel'}"]
    options = {"send": ours, "receive": tmp_path / "peer", **DISTURBED}
    outcome = namespace.talk("kernel", steps, options)
    assert (outcome.status, outcome.kernel["error"]) == (0, None)
    assert sha256(tmp_path / "kernel") == sha256(ours)
    assert sha256(tmp_path / "peer") == sha256(theirs)


def transfer(namespace, data, sink, opener, sender, options, settings=None):
    """Transfer a file one way, and check its content."""
    if sender == "ours":
        steps, ends = [f"receive:{sink}"], {"send": data}
    else:
        steps, ends = [f"send:{data}"], {"receive": sink, "close": "peer"}
    outcome = namespace.talk(opener, steps, {**ends, **options}, settings)
    assert (outcome.status, outcome.kernel["error"]) == (0, None)
    assert outcome.peer["unreadable"] == 0, outcome
    assert sha256(sink) == sha256(data)
    return outcome


# Options.

OPTIONS = ("sack", "timestamps")


@pytest.mark.parametrize("opener", ["ours", "kernel"])
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("offers", [("ours",), ("kernel",), ("ours", "kernel")])
def test_an_option_is_used_if_both_offer_it(namespace, opener, option, offers):
    for each in OPTIONS:
        namespace.sysctl(f"tcp_{each}", int(each == option and "kernel" in offers))
    settings = {f"tcp.{each}": str(each == option and "ours" in offers).lower() for each in OPTIONS}
    options = {"capture": namespace.directory, "close": "peer"}
    outcome = namespace.talk(opener, ["write:3000"], options, settings)
    assert outcome.status == 0
    agreed = offers == ("ours", "kernel")
    assert (option in outcome.kernel["info"]["options"]) == agreed
    for packet in outcome.at_kernel:
        if "S" not in packet.flags:
            assert (packet.timestamps is not None) == (agreed and option == "timestamps")


@pytest.mark.parametrize("sender", ["ours", "kernel"])
def test_fifty_megabytes_arrive_whole_over_a_bad_wire(namespace, source, tmp_path, sender):
    data, sink = source(SIZE), tmp_path / "sink"
    outcome = transfer(namespace, data, sink, "ours", sender, DISTURBED, MODERN)
    assert {"sack", "timestamps"} <= set(outcome.kernel["info"]["options"])


@pytest.mark.parametrize(
    "settings",
    [
        {"tcp.variant": "tahoe"},
        {"tcp.variant": "newreno"},
        {"tcp.variant": "fack"},
        {"tcp.variant": "vegas"},
        {"tcp.variant": "westwood", "tcp.recovery": "sack"},
        {"tcp.variant": "cubic", "tcp.recovery": "rack", "tcp.prr": "true"},
        {"tcp.variant": "bbr"},
        {"tcp.profile": "modern", "tcp.ecn": "true", "tcp.pacing": "always"},
        {"tcp.profile": "modern", "tcp.spurious_timeouts": "eifel"},
    ],
    ids=lambda settings: "-".join(settings.values()),
)
def test_every_variant_brings_its_bytes_over_a_bad_wire(namespace, source, tmp_path, settings):
    data, sink = source(5 * MEGABYTE), tmp_path / "sink"
    more = {"tcp.min_rto": "200 ms", **settings}
    transfer(namespace, data, sink, "ours", "ours", {**DISTURBED, "loss": 0.005}, more)


@pytest.mark.parametrize("sender", ["ours", "kernel"])
def test_sack_blocks_tell_what_arrived(namespace, source, tmp_path, sender):
    data, sink = source(5 * MEGABYTE), tmp_path / "sink"
    # Late enough for a tick of the timestamps.
    late = {"duplication": 0.05, "reordering": 0.05, "lateness": 0.003}
    options = {**DISTURBED, **late, "loss": 0.02, "capture": namespace.directory}
    outcome = transfer(namespace, data, sink, "ours", sender, options, MODERN)
    # The capture shows our receiver before the faults, and the kernel after them.
    packets = outcome.at_kernel if sender == "ours" else outcome.at_endpoint
    told, repeated = check_sack(packets, by_us=sender != "ours")
    assert told > 100
    assert repeated > 5


def test_sack_blocks_tell_of_what_an_old_duplicate_has_overtaken():
    """As in tests/scripts/paws/old_retransmission.script."""

    def story(blocks):
        """Yield what comes to our receiver, and what it answers; `blocks` are the last ones."""
        for seq, stamp, ack, sack in (
            (0, 600, 1001, ()),
            (1, 600, 1001, ()),
            (3001, 600, 1001, ((3001, 4001),)),
            (1, 601, 1001, ((3001, 4001),)),
            (5001, 601, 1001, ((5001, 6001), (3001, 4001))),
            (2001, 600, 1001, blocks),
        ):
            flags, length = ("S", 0) if seq == 0 else ("A", 1000)
            common = {"flags": flags, "timestamps": (stamp, 1)}
            yield SimpleNamespace(ours=False, seq=seq, length=length, **common)
            yield SimpleNamespace(ours=True, ack=ack, sack=sack, **common)

    late, other = (2001, 4001), (5001, 6001)
    assert check_sack([*story([late, other])], by_us=True) == (6, 0)
    for wrong in ([other, late], [(1001, 4001), other]):
        with pytest.raises(AssertionError):
            check_sack([*story(wrong)], by_us=True)


MODERN = {"tcp.recovery": "sack", "tcp.timestamps": "true", "tcp.dsack": "true"}


def check_sack(packets, *, by_us: bool) -> tuple[int, int]:
    """Check a receiver's SACK blocks (RFC 2018, 2883); return how many told of what, or twice.

    Of ours the first block must hold the newest segment that it has accepted.
    """
    [start] = {packet.seq + 1 for packet in packets if packet.ours != by_us and "S" in packet.flags}
    arrived = bytearray(6 * MEGABYTE)
    newest, told, repeated = (0, 0), 0, 0
    acked, expected, latest = 0, 0, None
    for packet in packets:
        if "R" in packet.flags:  # of a late copy after the end; it has no timestamps to echo
            continue
        if packet.ours != by_us:
            left, stamp = behind(packet.seq, start), packet.timestamps[0]
            latest = stamp if latest is None else latest
            if by_us and behind(stamp, latest) < 0:  # it is not accepted (RFC 7323 §5.3, R1)
                continue
            if packet.length:
                newest = (left, left + packet.length)
            numbers = packet.length + ("F" in packet.flags)  # the kernel also SACKs a FIN
            # An old duplicate is not acceptable: its stamp does not count (R2 before R3).
            if left <= acked and (left + numbers > expected or left == expected):
                latest = stamp
            arrived[left : left + numbers] = bytes([1]) * numbers
            expected = arrived.find(0, expected)
            continue
        ack = acked = behind(packet.ack, start)
        if not packet.sack:
            continue
        blocks = [(behind(left, start), behind(right, start)) for left, right in packet.sack]
        assert all(left < right for left, right in blocks), packet
        assert all(0 not in arrived[left:right] for left, right in blocks), packet
        first, *rest = blocks
        within = any(left <= first[0] and first[1] <= right for left, right in rest)
        if first[0] < ack or within:
            repeated += 1
            blocks = rest
        elif by_us and newest[0] > ack:
            assert first[0] <= newest[0] < newest[1] <= first[1], packet
        told += len(blocks)
        ordered = sorted(blocks)
        assert all(left > ack for left, _ in ordered), packet
        pairs = itertools.pairwise(ordered)
        assert all(lower[1] < upper[0] for lower, upper in pairs), packet
    return told, repeated


@pytest.mark.parametrize("sender", ["ours", "kernel"])
def test_timestamps_are_echoed_and_never_go_back(namespace, source, tmp_path, sender):
    data, sink = source(MEGABYTE), tmp_path / "sink"
    options = {**DISTURBED, "capture": namespace.directory}
    outcome = transfer(namespace, data, sink, "ours", sender, options, MODERN)
    seen, value = {0}, None
    for packet in outcome.at_endpoint:
        if "R" in packet.flags:  # of a late copy after the end; it has no timestamps to echo
            continue
        assert packet.timestamps is not None, packet
        if not packet.ours:
            seen.add(packet.timestamps[0])
            continue
        assert packet.timestamps[1] in seen, packet
        assert value is None or behind(packet.timestamps[0], value) >= 0, packet
        value = packet.timestamps[0]


# Windows.


def test_a_kernel_that_stops_reading_is_probed_until_it_goes_on(namespace, source, tmp_path):
    data, sink = source(MEGABYTE), tmp_path / "sink"
    steps = ["buffer:20000", "wait:1.5", f"receive:{sink}"]
    options = {"send": data, "capture": namespace.directory}
    outcome = namespace.talk("ours", steps, options)
    assert (outcome.status, outcome.kernel["error"]) == (0, None)
    assert sha256(sink) == sha256(data)
    packets = outcome.at_kernel
    start, end = closed_window(packets, ours=False)
    assert end - start > 1
    probes = [packet for packet in packets if packet.ours and start < packet.time_s < end]
    assert len(probes) >= 3
    assert all(probe.length <= 1 for probe in probes)
    # From 20 ms on, twice as long each time: one that is late makes them fewer.
    assert len(probes) <= 2 + math.log2((end - start) / 0.020)


def test_a_reader_that_stops_closes_the_window_and_opens_it_again(namespace, source, tmp_path):
    data, sink = source(MEGABYTE), tmp_path / "sink"
    steps = [f"send:{data}"]
    options = {"receive": sink, "close": "peer", "pause": "100000:1.5"}
    settings = {"tcp.receive_buffer": "50 kB"}
    options["capture"] = namespace.directory
    outcome = namespace.talk("ours", steps, options, settings)
    assert (outcome.status, outcome.kernel["error"]) == (0, None)
    assert sha256(sink) == sha256(data)
    packets = outcome.at_kernel
    start, end = closed_window(packets, ours=True)
    assert end - start > 1
    probes = [packet for packet in packets if not packet.ours and start < packet.time_s < end]
    assert len(probes) >= 2
    answers = [packet for packet in packets if packet.ours and start < packet.time_s < end]
    assert len(answers) >= len(probes)
    assert {answer.window for answer in answers} == {0}
    update = next(packet for packet in packets if packet.ours and packet.time_s >= end)
    assert (update.length, update.ack) == (0, answers[-1].ack)


def closed_window(packets, *, ours: bool) -> tuple[float, float]:
    """Return when the longest time began and ended that a receiver advertised no window."""
    spans, start = [], None
    for packet in packets:
        if packet.ours != ours or "S" in packet.flags or "R" in packet.flags:
            continue
        if packet.window == 0:
            start = packet.time_s if start is None else start
        elif start is not None:
            spans.append((start, packet.time_s))
            start = None
    return max(spans, key=lambda span: span[1] - span[0])


# Ends.

OPENED = {
    "ours": ["SynSent", "Established"],
    "kernel": ["Listen", "SynReceived", "Established"],
}
KERNEL_FIRST = ["CloseWait", "LastAck", "Closed"]
WE_FIRST = ["FinWait1", "FinWait2", "TimeWait", "Closed"]
BOTH_AT_ONCE = ["FinWait1", "Closing", "TimeWait", "Closed"]


@pytest.mark.parametrize(
    ("opener", "steps", "close", "delay", "expected"),
    [
        pytest.param("ours", [], "peer", 0, KERNEL_FIRST, id="ours, kernel first"),
        pytest.param("kernel", [], "peer", 0, KERNEL_FIRST, id="kernel's, kernel first"),
        pytest.param(
            "ours", ["receive:/dev/null", "wait:0.1"], "after:0.1", 0, WE_FIRST, id="ours, we first"
        ),
        pytest.param(
            "kernel",
            ["receive:/dev/null", "wait:0.1"],
            "after:0.1",
            0,
            WE_FIRST,
            id="kernel's, we first",
        ),
        # The kernel's end opens a delay later or sooner, and each FIN is a delay on its way: either
        # end may be late by that.
        pytest.param(
            "ours", ["shutdown", "wait:1"], "after:0.4", 0.4, BOTH_AT_ONCE, id="ours, at once"
        ),
        pytest.param(
            "kernel", ["wait:0.8"], "after:0.4", 0.4, BOTH_AT_ONCE, id="kernel's, at once"
        ),
        pytest.param("ours", ["wait:0.1", "reset"], "peer", 0, ["Closed"], id="ours, reset"),
        pytest.param("kernel", ["wait:0.1", "reset"], "peer", 0, ["Closed"], id="kernel's, reset"),
    ],
)
def test_every_way_to_close(namespace, opener, steps, close, delay, expected):
    # No timer runs out while a busy machine takes its time, that of the SYN neither.
    settings = {"tcp.initial_rto": "10 s", "tcp.min_rto": "10 s"}
    outcome = namespace.talk(opener, steps, {"close": close, "delay": delay}, settings)
    assert (outcome.status, outcome.kernel["error"]) == (0, None)
    assert outcome.peer["states"] == OPENED[opener] + expected
    assert outcome.peer["retransmissions"] == outcome.peer["timeouts"] == 0


@pytest.mark.parametrize("opener", ["ours", "kernel"])
def test_our_reset_is_the_kernels_end(namespace, opener):
    outcome = namespace.talk(opener, ["write:1", "wait:0.2", "read:1"], {"close": "reset:1"})
    assert outcome.peer["states"] == [*OPENED[opener], "Closed"]
    assert outcome.kernel["error"] == "ConnectionResetError"


@pytest.mark.parametrize("first", ["ours", "kernel"])
def test_a_half_closed_connection_still_carries_the_other_half(namespace, source, tmp_path, first):
    data, sink = source(MEGABYTE), tmp_path / "sink"
    if first == "ours":
        steps = [f"receive:{tmp_path / 'nothing'}", f"send:{data}"]
        ends = {"close": "after:0.05", "receive": sink}
        expected = WE_FIRST
    else:
        steps = ["shutdown", f"receive:{sink}"]
        ends = {"close": "after:2", "send": data}
        expected = KERNEL_FIRST
    outcome = namespace.talk("ours", steps, ends)
    assert outcome.peer["states"] == OPENED["ours"] + expected
    assert sha256(sink) == sha256(data)
