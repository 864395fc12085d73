"""Captures of mobile networks: the packets of each node, read by Wireshark."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")

SCENARIO = "hmipv6-handover"
NODES = ("CN", "N1", "HA", "MAP", "AR1", "AR2", "MN")
AMISS = (
    "not ipv6 or _ws.malformed or icmpv6.checksum.status == 0"
    " or tcp.checksum.status == 0 and not icmpv6"
    " or _ws.expert.severity >= 0x600000 and not tcp.analysis.flags and not icmpv6.type == 2"
)
RUNS: dict[str, dict[str, str | int | bool]] = {
    "plain": {},
    "too big": {"ftp.packet_size": 1440},
    "cut in tunnels": {"ftp.packet_size": 1220, "mobile_ip.mtu": 1280},
    "optimized": {"mobile_ip.route_optimization": True},
    "fast": {
        "mobile_ip.fast_handovers": True,
        "wlan.anticipation": "200 ms",
        "wlan.handover": "break-before-make",
        "wlan.hysteresis": "3 dB",
        "duration": "140 s",
    },
}
HOME_AGENT, MAP, MOBILE = "2001:db8:0:3::1", "2001:db8:0:4::1", "ff:fe00:7"
HOME, REGIONAL, LOCAL = (f"2001:db8:0:{n}:0:{MOBILE}" for n in (3, 4, 5))
NEIGHBOURS = ("Router Solicitation", "Neighbor Solicitation")
UPDATE, ACKNOWLEDGEMENT = "Binding Update", "Binding Acknowledgement"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a function that returns the directory of a named run."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp("mobile") / "run"
            settings: dict[str, str | int | bool] = {"duration": "80 s", **RUNS[name]}
            tp.run(SCENARIO, settings, seed=1, trace=True).save(made[name])
        return made[name]

    return of


def tshark(file: Path, display: str, *fields: str, **preferences: str) -> list[tuple[str, ...]]:
    """Return `fields` of the packets that a display filter selects."""
    named = [word for field in fields or ("frame.number",) for word in ("-e", field)]
    chosen = {"check_checksum": "TRUE", **preferences}
    options = [word for key in chosen for word in ("-o", f"tcp.{key}:{chosen[key]}")]
    command = ["tshark", "-n", "-r", str(file), *options, "-Y", display, "-T", "fields", *named]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def amiss(tmp_path_factory):
    """Return a function that returns what is amiss in captures: the place of each, and packets."""

    def in_any(files: Sequence[Path]) -> list[tuple[str, ...]]:
        # One start for all, as sections of one file. The same segments follow again in each, so
        # that Wireshark must not compare sequence numbers: `AMISS` would excuse all but the first.
        joined = tmp_path_factory.mktemp("joined") / "all.pcapng"
        joined.write_bytes(b"".join(file.read_bytes() for file in files))
        fields = ("frame.section_number", "frame.number", "_ws.col.Info")
        found = tshark(joined, AMISS, *fields, analyze_sequence_numbers="FALSE")
        joined.unlink()
        return found

    return in_any


@pytest.mark.parametrize("name", RUNS)
def test_every_node_has_a_capture_in_which_nothing_is_amiss(saved, amiss, name):
    files = sorted(saved(name).glob("*.pcapng"))
    assert [file.stem for file in files] == sorted(NODES)
    assert amiss(files) == []


def test_a_wrong_byte_is_amiss_in_the_capture_of_any_node(saved, amiss, tmp_path):
    for file in saved("plain").glob("*.pcapng"):
        content = bytearray(file.read_bytes())
        payload = content.index(bytes(500))
        content[payload + 250] = 1
        (tmp_path / file.name).write_bytes(content)
    found = amiss(sorted(tmp_path.iterdir()))
    assert [int(section) for section, *_ in found] == [*range(1, len(NODES) + 1)]


@pytest.mark.parametrize("node", ["HA", "MAP", "AR1", "AR2", "MN"])
def test_signalling_is_seen_where_it_passes(saved, node):
    assert tshark(saved("plain") / f"{node}.pcapng", "mipv6 || icmpv6")


def test_first_handover_is_told_message_by_message(saved):
    known = ("mipv6", "icmpv6.type == 133", "icmpv6.type == 135")
    fields = ("frame.packet_flags_direction", "ipv6.src", "ipv6.dst", "_ws.col.Info")
    file = saved("plain") / "MN.pcapng"
    rows = tshark(file, f"frame.time_relative < 60 && ({' || '.join(known)})", *fields)
    went, came = "0x00000002", "0x00000001"
    link_local, group = f"fe80::{MOBILE}", "ff02::1:ff00:7"
    solicited = f"{NEIGHBOURS[0]} from 02:00:00:00:00:07"
    assert rows == [
        (went, link_local, "ff02::2", solicited),  # at home, as the run begins
        (went, link_local, "ff02::2", solicited),
        (went, "::", group, f"{NEIGHBOURS[1]} for {LOCAL}"),
        (went, LOCAL, MAP, UPDATE),
        (came, MAP, LOCAL, ACKNOWLEDGEMENT),
        (went, f"{LOCAL},{REGIONAL}", f"{MAP},{HOME_AGENT}", UPDATE),
        (came, f"{MAP},{HOME_AGENT}", f"{LOCAL},{REGIONAL}", ACKNOWLEDGEMENT),
    ]


def test_updates_name_their_addresses(saved):
    fields = (
        "ipv6.opt.mipv6.home_address",
        "mip6.acoa.acoa",
        "mip6.bu.m_flag",
        "mip6.bu.h_flag",
        "mip6.bu.lifetime",
    )
    rows = tshark(saved("plain") / "MN.pcapng", "mip6.mhtype == 5", *fields)
    lifetime = rows[0][-1]
    assert rows[:2] == [
        (REGIONAL, LOCAL, "1", "0", lifetime),
        (HOME, REGIONAL, "0", "1", lifetime),
    ]
    answers = tshark(
        saved("plain") / "MN.pcapng", "mip6.mhtype == 6", "ipv6.routing.mipv6.home_address"
    )
    assert answers[:2] == [(REGIONAL,), (HOME,)]


def test_advertisements_name_the_map(saved):
    fields = ("ipv6.src", "icmpv6.opt.prefix", "icmpv6.opt.map.global_address")
    rows = set(tshark(saved("plain") / "MN.pcapng", "icmpv6.type == 134", *fields))
    assert rows == {
        ("fe80::ff:fe00:3", HOME_AGENT, ""),
        ("fe80::ff:fe00:5", "2001:db8:0:5::1", MAP),
        ("fe80::ff:fe00:6", "2001:db8:0:6::1", MAP),
    }


def test_tunnels_begin_and_end_where_agents_are(saved):
    """A home agent's capture has packets for the mobile, before and inside the tunnel."""
    display = "tcp.len > 0 && frame.time_relative > 20"
    fields = ("frame.packet_flags_direction", "ipv6.dst", "frame.len")
    rows = set(tshark(saved("plain") / "HA.pcapng", display, *fields))
    tunnel = f"{REGIONAL},{HOME}"
    assert rows == {("0x00000001", HOME, "572"), ("0x00000002", tunnel, "612")}


def test_packets_are_as_large_as_the_run_says(saved):
    """Packets of each link, by the interface of the node at its end."""
    directory = saved("plain")
    hops = pl.read_parquet(directory / "hops.parquet")
    left = hops.filter((pl.col("machine") == "wan/down") & (pl.col("event") == "left"))
    display = 'frame.interface_name == "wan" && frame.packet_flags_direction == 1'
    assert len(tshark(directory / "MAP.pcapng", display)) == len(left) > 0


def test_who_sends_too_much_is_told(saved):
    display = "icmpv6.type == 2 && icmpv6.checksum.status == 1"
    fields = ("ipv6.src", "ipv6.dst", "icmpv6.mtu", "tcp.dstport", "frame.len")
    rows = tshark(saved("too big") / "CN.pcapng", display, *fields)
    correspondent = "2001:db8:0:1::1"
    ends = (f"{HOME_AGENT},{correspondent}", f"{correspondent},{HOME}")
    assert {row[:2] for row in rows} == {ends}
    assert {row[2:] for row in rows} == {("1460", "1024", "1280"), ("1420", "1024", "1280")}


def test_pieces_join(saved):
    """Tunnels fragment packets up to the minimum MTU; the mobile reassembles them."""
    file = saved("cut in tunnels") / "MN.pcapng"
    assert tshark(file, "ipv6.fraghdr && frame.len > 1280") == []
    pieces = tshark(file, "ipv6.fraghdr.more == 1 && frame.time_relative > 20")
    fields = ("ipv6.reassembled.length", "tcp.checksum.status")
    display = "tcp.len == 1220 && frame.time_relative > 20"
    rows = tshark(file, display, *fields)
    assert 0 < len(rows) <= len(pieces)
    assert set(rows) == {("1280", "1")}


def test_optimized_packets_carry_home_addresses(saved):
    file = saved("optimized") / "CN.pcapng"
    kinds = [kind for (kind,) in tshark(file, "mipv6", "mip6.mhtype")]
    assert sorted(kinds) == list("123456")
    data = "tcp.len > 0 && ipv6.routing.mipv6.home_address"
    acknowledgements = "tcp.len == 0 && ipv6.opt.mipv6.home_address"
    for display in (data, acknowledgements):
        assert tshark(file, f"{display} && tcp.checksum.status == 1"), display


def test_fast_handover_is_announced_and_answered(saved):
    directory = saved("fast")
    last = "frame.time_relative > 100 && "
    mobile = tshark(directory / "MN.pcapng", f"{last}mipv6", "mip6.mhtype")
    assert [kind for (kind,) in mobile][:3] == ["8", "9", "5"]
    proxies = "icmpv6.type == 154"
    asked = tshark(directory / "MN.pcapng", last + proxies, "icmpv6.fmip6.subtype")
    assert asked == [("2",), ("3",)]
    routers = tshark(directory / "AR2.pcapng", "mip6.mhtype == 14", "mip6.lla")
    assert routers == [("02:00:00:00:00:07",)]
    onward = "tcp && ipv6.src == 2001:db8:0:5::1 && ipv6.dst == 2001:db8:0:6:0:ff:fe00:7"
    assert tshark(directory / "AR1.pcapng", onward)


def test_what_comes_by_a_link_that_nothing_leaves_by_is_seen(tmp_path):
    """CN sends over one link, and N1 answers over a faster one."""
    more = "".join(
        f'[[wired]]\nname = "{name}"\nbetween = ["{one}", "{other}"]\n'
        'rate = "100 Mbit/s"\ndelay = "1 ms"\n'
        for name, one, other in [("N2", "CN", "N2"), ("N3", "N2", "N1")]
    )
    route = '[[route]]\nname = "direct"\nat = "CN"\nto = "HA"\nvia = "N1"\n'
    text = tp.scenarios()[SCENARIO].source + more + route
    (tmp_path / "direct.toml").write_text(text)
    settings = {"wired.CN.delay": "20 ms", "duration": "5 s"}
    run = tp.run(tmp_path / "direct.toml", settings, seed=1, trace=True)
    run.save(tmp_path / "run")
    left = run.hops.filter((pl.col("machine") == "CN/down") & (pl.col("event") == "left"))
    display = 'frame.interface_name == "CN" && frame.packet_flags_direction == 1'
    assert len(tshark(tmp_path / "run" / "N1.pcapng", display)) == len(left) > 0


def test_a_piece_is_quoted_as_a_piece(tmp_path):
    settings: dict[str, str | int] = {"duration": "30 s", "mobile_ip.mtu": 1300}
    settings["ftp.packet_size"] = 1210
    tp.run(SCENARIO, settings, seed=1, trace=True).save(tmp_path / "run")
    rows = tshark(tmp_path / "run" / "HA.pcapng", "icmpv6.type == 2", "ipv6.nxt", "ipv6.plen")
    quoted = {(nxt.split(",")[-1], plen.split(",")[-1]) for nxt, plen in rows}
    assert quoted == {("44", "1256")}
