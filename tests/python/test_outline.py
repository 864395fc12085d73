"""The outlines of `thinpipe pipes` follow the scenarios."""

import pytest
import thinpipe as tp
from thinpipe.outline import outline

LINK = '[link]\nrate = "2 Mbit/s"\ndelay = "40 ms"\n'
RADIO = "[radio]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            LINK,
            "2 Mbit/s down, any rate up; delay 40 ms each way; loss 0 % each way; "
            "queue 50 packets each way",
        ),
        (
            f"{LINK}[queue]\npackets = 1\nback.packets = 2000",
            "2 Mbit/s down, any rate up; delay 40 ms each way; loss 0 % each way; "
            "queue 1 packet down, 2000 packets up",
        ),
        (
            f'{LINK}jitter = "5 ms"\nreorder = 0.01\nback.corrupt = 0.02',
            "2 Mbit/s down, any rate up; delay 40 ms ± 5 ms down, 40 ms up; loss 0 % each way; "
            "reorder 1 % down, 0 % up; corrupt 0 % down, 2 % up; queue 50 packets each way",
        ),
        (
            f'{LINK}loss = 0.02\nback = {{ rate = "1 Mbit/s", delay = "1 s" }}\n'
            '[queue]\nbytes = "3 kB"\nback.packets = "unlimited"',
            "2 Mbit/s down, 1 Mbit/s up; delay 40 ms down, 1000 ms up; loss 2 % down, 0 % up; "
            "queue 50 packets or 3 kB down, 3 kB up",
        ),
        (
            f"{LINK}loss = 0.5\ngilbert_elliott = {{ p = 0.01, r = 0.25 }}\n"
            'back.gilbert_elliott.loss_good = 0.125\n[queue]\npackets = "unlimited"\n'
            'back.kind = "codel"',
            "2 Mbit/s down, any rate up; delay 40 ms each way; "
            "loss 50 % and 3.85 % in bursts of 4 down, 12.5 % up; "
            "queue without limit down, without limit (codel) up",
        ),
        (
            f'{RADIO}tbler = "10 %"\nuplink.tbler = "1 %"\n[[wired]]\nname = "a"\n'
            'between = ["x", "y"]\ndelay = "400 us"\n[[wired]]\nname = "b"\n'
            'between = ["y", "z"]\ndelay = "0.1 s"',
            "384 kbit/s down, 64 kbit/s up; delay 100.4 ms each way; TTI 10 ms down, 20 ms up; "
            "TBLER 10 % down, 1 % up; queue 50 packets each way",
        ),
        (
            f'{RADIO}kind = "umts-cell"\nues = 3\nuplink.tbler_limits = ["1 %", "10 %"]\n'
            '[[radio.node_b]]\nname = "A"\n[[radio.node_b]]\nname = "B"\n'
            '[[radio.ue]]\nname = "walker"',
            "at most 384 kbit/s down, at most 64 kbit/s up; delay 0 ms each way; "
            "TTI 10 ms down, 20 ms up; TBLER 0 % down, 1 % to 10 % up; "
            "queue 50 packets each way; 2 NodeBs and 4 mobiles",
        ),
        (
            f'{RADIO}kind = "umts-cell"\nues = 1\ninterference.error_rates = "from-place"',
            "at most 384 kbit/s down, at most 64 kbit/s up; delay 0 ms each way; "
            "TTI 10 ms down, 20 ms up; TBLER by place each way; "
            "queue 50 packets each way; 1 NodeB and 1 mobile",
        ),
        (
            f'{RADIO}kind = "leo"\nground = "7 ms"\nleo.slot = "5 s"\n[[wired]]\nname = "a"\n'
            'between = ["x", "y"]\ndelay = "400 us"',
            "100 Mbit/s down, 12 Mbit/s up; satellites 550 km high, another each 5 s; "
            "7.4 ms each way on the ground; queue 50 packets each way",
        ),
        (
            f'{RADIO}kind = "leo"\nleo.detour = "20 ms"\nbeam.background = "75 %"',
            "100 Mbit/s down, 12 Mbit/s up; satellites 550 km high, another each 15 s, "
            "up to 20 ms each way behind it; 10 ms each way on the ground; "
            "75 % of frames are other users'; queue 50 packets each way",
        ),
        (
            f'{RADIO}kind = "geo"\nrecorded = [{{at = "0 s", delay = "1 s"}}]\n'
            'gilbert_elliott = {}\nuplink.assignment.wait = "1 s"',
            "100 Mbit/s down, 12 Mbit/s up; delays as recorded; 10 ms each way on the ground; "
            "capacity up on demand after 1 s; loss 4 % and 30 % by turns; "
            "queue 50 packets each way",
        ),
        (
            f'{RADIO}kind = "lte"\nrrc.tail = "1 s"\npsm.active = "20 s"',
            "category 4 in 100 resource blocks; SNR 25 dB each way; "
            "asleep 20 s after a connection; delay 0 ms each way on wires; "
            "queue 50 packets each way",
        ),
        (
            '[[wired]]\nname = "a"\nbetween = ["x", "y"]\ndelay = "5 ms"',
            "delay 5 ms each way",
        ),
    ],
)
def test_outline(text, expected):
    assert outline(tp.Scenario("mine", text).values()) == expected


def test_outline_of_mobiles():
    moving = outline(tp.scenarios()["hmipv6-handover"].values())
    assert moving == (
        "Hierarchical Mobile IPv6; 802.11b at 11 Mbit/s within 200 m; queue 50 packets each way; "
        "3 access points and 1 mobile"
    )


def test_a_trace_is_named(tmp_path):
    (tmp_path / "good.trace").write_text("5\n10\n", encoding="utf-8")
    mine = tp.Scenario(str(tmp_path / "mine.toml"), '[link]\ntrace.down = "good.trace"')
    recorded = f"as recorded in {tmp_path}/good.trace down, any rate up; "
    assert outline(mine.values()).startswith(recorded)


def test_a_recording_is_named(tmp_path):
    (tmp_path / "seen.csv").write_text("time_s,rtt_ms\n0,40\n", encoding="utf-8")
    text = f'{RADIO}kind = "geo"\ntrace = "seen.csv"'
    recorded = (
        f"as recorded in {tmp_path}/seen.csv (a rate that it does not have: 100 Mbit/s down, "
        "12 Mbit/s up); "
    )
    mine = tp.Scenario(str(tmp_path / "mine.toml"), text)
    assert outline(mine.values()).startswith(recorded)


def test_a_drive_is_named(tmp_path):
    (tmp_path / "drive.csv").write_text("time_s,snr\n0,4\n", encoding="utf-8")
    own = '[[radio.ue]]\nname = "A"\nuplink.snr = "3 dB"\n[[radio.ue]]\nname = "B"\n'
    text = f'{RADIO}kind = "lte"\ndownlink.trace = "drive.csv"\n{own}'
    mine = outline(tp.Scenario(str(tmp_path / "mine.toml"), text).values())
    recorded = f"as recorded in {tmp_path}/drive.csv down"
    assert f"SNR A {recorded}, 3 dB up, B {recorded}, 25 dB up; " in mine
    drive = outline(tp.scenarios()["lte-drive-test"].values())
    assert "SNR as in the trace lte-drive-test each way; " in drive


def test_a_trace_that_ships_is_named():
    assert outline(tp.scenarios()["lte-drive"].values()) == (
        "as in the trace lte-drive-down, with its delays down, "
        "as in the trace lte-drive-up, with its delays up; delay 0 ms each way; "
        "loss 0 % each way; queue 750 kB down, 250 kB up"
    )


def test_values_of_what_is_wrong():
    with pytest.raises(tp.ScenarioError, match=r"^mine:1: rat: unknown key"):
        tp.Scenario("mine", "rat = 1").values()


NETWORKS = {name: each for name, each in tp.scenarios().items() if each.values()["reference"]}


def test_networks_with_a_source():
    named = {"umts-384", "umts-64", "umts-384-lossy", "gprs-live-40", "edge", "satellite-geo"}
    sky = {"leo-15s", "leo-calm", "geo-600", "geo-12-3-lossy", "satcom-edge"}
    assert named | sky | {"wlan-11b-fringe", "lte-drive"} <= set(NETWORKS)


OF_PAPERS = {"bottleneck", "umts-dch-384", "umts-thesis", "hmipv6-handover"} | {
    "gprs-3+1",
    "gprs-4+1",
    "gprs-8+1",
    "edge-4+1",
    "gprs-fifo",
}


@pytest.mark.parametrize("name", sorted({*NETWORKS, "link"} - OF_PAPERS))
def test_no_flood_fills_memory(name):
    values = tp.scenarios()[name].values()
    assert "without limit" not in outline(values)
    assert values["tcp.profile"] == "modern"


@pytest.mark.parametrize("name", [*sorted(NETWORKS), "link"])
def test_every_network_carries_a_transfer(name):
    if name.startswith("nb-iot"):
        # Reports of some kB, which take minutes.
        assert tp.run(name).flows[0].bytes_acked >= 2000
        return
    run = tp.run(name, duration="20 s")
    assert run.flows[0].bytes_acked > 10_000


def test_a_journey_is_told_with_its_sites():
    told = outline(tp.scenarios()["lte-between-cells"].values())
    assert "SNR 40 dB down, 35 dB up at 100 m from a site; past 2 sites at 20 m/s" in told


def test_bearers_are_named_with_their_code_point():
    assert "; bearer voice for DSCP 46; queue" in outline(tp.scenarios()["lte-voice"].values())


def test_mobiles_that_differ_have_a_ratio_each():
    values = tp.scenarios()["lte-edge-and-centre"].values()
    own = {**values, "radio.ue.edge.uplink.snr": "as radio"}
    assert "SNR edge 2 dB down, 25 dB up, centre 20 dB each way ± 3 dB" in outline(own)
    assert ", others 25 dB each way" in outline({**values, "radio.ues": "2"})
