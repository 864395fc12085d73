//! A box at the subscriber's side of the radio, ahead of the modem's queue.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{GroupSummary, Outcome, Recording, Threads, simulate};

type Settings<'a> = &'a [(&'a str, &'a str)];

fn run(name: &str, settings: &[Settings<'_>]) -> Outcome {
    run_with(name, "", settings)
}

/// The same with more `tables`.
fn run_with(name: &str, tables: &str, settings: &[Settings<'_>]) -> Outcome {
    let shipped = shipped().iter().find(|shipped| shipped.name == name).expect("it ships");
    let text = &format!("{}\n{tables}", shipped.text);
    let settings: Vec<_> = settings
        .iter()
        .flat_map(|some| *some)
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let scenario = Scenario::parse(text, name, &settings).expect("it is valid");
    let pulse = &mut |_| ControlFlow::Continue(());
    simulate(&scenario, Recording::Series, Threads::MIN, pulse).expect("nobody interrupts it")
}

fn of<'a>(outcome: &'a Outcome, name: &str) -> &'a GroupSummary {
    outcome.summary.groups.iter().find(|group| group.name == name).expect("it is there")
}

/// A box at the subscriber's side.
const BOX: Settings<'_> = &[("middlebox.kind", "atcp"), ("middlebox.atcp.role", "subscriber")];

/// Nothing but what groups say.
const GROUPS: Settings<'_> = &[("tcp.profile", "modern"), ("flow.count", "0")];

/// A ping each half a second, up.
const PING: Settings<'_> = &[
    ("flow.group.ping.application", "udp"),
    ("flow.group.ping.direction", "uplink"),
    ("flow.group.ping.udp.payload", "56 B"),
    ("flow.group.ping.udp.rate", "896 bit/s"),
];

/// Four uploads.
const BULK: Settings<'_> = &[
    ("flow.group.bulk.count", "4"),
    ("flow.group.bulk.bytes", "unlimited"),
    ("flow.group.bulk.direction", "uplink"),
];

/// What a subscriber knows of the uplink.
fn known<'a>(rate: &'a str, round_trip: &'a str) -> [(&'a str, &'a str); 2] {
    [("middlebox.atcp.uplink_rate", rate), ("middlebox.atcp.round_trip", round_trip)]
}

fn delay(outcome: &Outcome) -> f64 {
    of(outcome, "ping").delay_s.mean.expect("some arrived")
}

fn goodput(outcome: &Outcome, group: &str) -> f64 {
    of(outcome, group).goodput_bps.expect("it carries")
}

/// Any mix of uploads over any link, readable or not: a ping takes at most a fifth longer than
/// behind a fair queue in the modem, and as much is carried.
#[test]
fn a_ping_takes_hardly_longer_than_behind_a_fair_modem() {
    for seed in 0..8 {
        let mut chance = base::Stream::named(seed, "mixes");
        let mut draw = |from: u32, to: u32| from + chance.next_u32() % (to - from);
        let (rate, delay_ms) = (draw(200, 4_000), draw(15, 150));
        let [rate, one_way] = [format!("{rate} kbit/s"), format!("{delay_ms} ms")];
        let trip = format!("{} ms", 2 * delay_ms);
        let [readable, others, datagrams] =
            [draw(1, 5), draw(0, 3), draw(0, 2)].map(|count| count.to_string());
        let link = [
            ("duration", "40 s"),
            ("link.delay", &one_way),
            ("link.back.rate", &rate),
            ("queue.back.packets", "1000"),
        ];
        let flows = [
            ("flow.group.bulk.count", &*readable),
            ("flow.group.bulk.bytes", "unlimited"),
            ("flow.group.bulk.direction", "uplink"),
            ("flow.group.other.count", &others),
            ("flow.group.other.encrypted", "true"),
            ("flow.group.other.bytes", "unlimited"),
            ("flow.group.other.direction", "uplink"),
            ("flow.group.datagrams.count", &datagrams),
            ("flow.group.datagrams.application", "udp"),
            ("flow.group.datagrams.direction", "uplink"),
            ("flow.group.datagrams.udp.rate", "60 kbit/s"),
        ];
        let with = |more: &[Settings<'_>]| {
            run("plain-384", &[&[GROUPS, PING, &link, &flows], more].concat())
        };
        let fair = with(&[&[("queue.back.kind", "fq-codel")]]);
        let told = with(&[BOX, &known(&rate, &trip)]);
        let back = f64::from(delay_ms) / 1e3;
        let [of_fair, of_box] = [&fair, &told].map(|outcome| delay(outcome) + back);
        let mix = format!("{rate}, {trip}: {readable} + {others} + {datagrams}");
        assert!(of_box <= 1.2 * of_fair, "{mix}: {of_box} s, {of_fair} s");
        let [fair, told] = [&fair, &told].map(carried);
        assert!(told >= 0.95 * fair, "{mix}: {told} bit/s, {fair} bit/s");
    }
}

/// What all flows but the ping carry together, in bit/s.
fn carried(outcome: &Outcome) -> f64 {
    let others = outcome.summary.groups.iter().filter(|group| group.name != "ping");
    others.filter_map(|group| group.goodput_bps).sum()
}

/// A call up beside four uploads that anyone or nobody can read has the rating that it has alone,
/// less 0.2. Where a packet of 576 B takes more than 50 ms, less 0.5, with a class of its own:
/// it sends more than its share.
#[test]
fn uploads_leave_a_call_its_rating() {
    let call: Settings<'_> = &[
        ("duration", "60 s"),
        ("flow.group.call.application", "voip"),
        ("flow.group.call.direction", "uplink"),
        ("flow.group.call.dscp", "46"),
        ("flow.group.call.voip.codec", "amr-12.2"),
    ];
    let fast: Settings<'_> = &[("radio.uplink.rate", "384 kbit/s"), ("radio.uplink.tti", "10 ms")];
    let small: Settings<'_> = &[("tcp.mss", "536 B")];
    let class = "[[middlebox.atcp.classes]]\nname = \"voice\"\ndscp = 46\npriority = 1\n";
    for (name, rate, trip, radio, class, less) in [
        ("umts-384", "384 kbit/s", "90 ms", fast, "", 0.2),
        ("umts-384", "64 kbit/s", "130 ms", small, class, 0.5),
        ("lte-cat1", "4.9 Mbit/s", "50 ms", &[], "", 0.2),
    ] {
        let with = |tables, more: &[Settings<'_>]| {
            let outcome = run_with(name, tables, &[&[GROUPS, call, radio], more].concat());
            of(&outcome, "call").voip.as_ref().and_then(|calls| calls.mos_mean).expect("rated")
        };
        let alone = with("", &[]);
        assert!(with("", &[BULK]) < alone - 1.0, "{name}: nothing to help against");
        for encrypted in ["false", "true"] {
            let encrypted = [("flow.group.bulk.encrypted", encrypted)];
            let told = with(class, &[BULK, &encrypted, BOX, &known(rate, trip)]);
            assert!(told >= alone - less, "{name} at {rate}: {told}, alone {alone}");
        }
    }
}

/// A class ahead of all others, and a window that is less than a packet, starve nobody.
#[test]
fn a_window_has_room_for_a_packet_beside_a_call() {
    let call: Settings<'_> = &[
        ("duration", "30 s"),
        ("flow.group.call.application", "voip"),
        ("flow.group.call.direction", "uplink"),
        ("flow.group.call.dscp", "46"),
        ("flow.group.call.voip.codec", "amr-12.2"),
    ];
    let class = "[[middlebox.atcp.classes]]\nname = \"voice\"\ndscp = 46\npriority = 1\n";
    let told =
        run_with("umts-384", class, &[GROUPS, call, BULK, BOX, &known("64 kbit/s", "60 ms")]);
    // The call takes 29 kbit/s of 64.
    assert!(goodput(&told, "bulk") > 20_000.0, "{}", goodput(&told, "bulk"));
}

/// Without a rate nothing changes, byte for byte.
#[test]
fn a_box_that_knows_nothing_is_none() {
    for name in ["umts-384", "lte-cat1", "plain-384"] {
        let short: Settings<'_> = &[("duration", "10 s")];
        let with = |more: &[Settings<'_>]| {
            let outcome = run(name, &[&[GROUPS, PING, BULK, short], more].concat());
            let measured = [delay(&outcome), goodput(&outcome, "bulk")].map(f64::to_bits);
            (measured, outcome.summary.hints)
        };
        let (none, unknown) = (with(&[]), with(&[BOX]));
        assert_eq!(none.0, unknown.0, "{name}");
        let hint = "the middlebox lets all packets pass at once: middlebox.atcp.uplink_rate is not \
                    given";
        let says = |hints: &[String]| hints.iter().any(|said| said == hint);
        assert!(says(&unknown.1) && !says(&none.1), "{:?}", unknown.1);
    }
}

/// Hosts far beyond the radio, whose answers come late, leave the pipe full.
#[test]
fn hosts_may_be_far_away() {
    let distant: Settings<'_> = &[
        ("duration", "60 s"),
        ("queue.back.packets", "1000"),
        ("link.back.rate", "1 Mbit/s"),
        ("flow.group.bulk.delay", "300 ms"),
    ];
    let with =
        |more: &[Settings<'_>]| run("plain-384", &[&[GROUPS, PING, BULK, distant], more].concat());
    let fair = with(&[&[("queue.back.kind", "fq-codel")]]);
    let told = with(&[BOX, &known("1 Mbit/s", "120 ms")]);
    let [fair, told] = [&fair, &told].map(|outcome| goodput(outcome, "bulk"));
    assert!(told >= 0.95 * fair, "{told} bit/s, {fair} bit/s");
}

/// Whatever carries the packets of mobiles, each has a box of its own.
#[test]
fn every_mobile_of_every_bearer_has_a_box() {
    let several: Settings<'_> = &[("radio.ues", "3"), ("flow.group.bulk.count", "6")];
    for (name, more, at) in [
        ("umts-384", &[][..], "UE"),
        ("umts-384", several, "UE-0 to UE-2"),
        ("gprs-3+1", several, "UE-0 to UE-2"),
        ("lte-cat1", several, "UE-0 to UE-2"),
        ("nr-tdd-100", several, "UE-0 to UE-2"),
        ("plain-384", &[], "receiver"),
        ("satellite-geo", &[], "receiver"),
    ] {
        let known = known("60 kbit/s", "500 ms");
        let short: Settings<'_> = &[("duration", "10 s")];
        let settings = [GROUPS, BULK, short, more, BOX, &known];
        let outcome = run(name, &settings);
        let of_box = outcome.summary.middlebox.as_ref().expect("there is one");
        assert_eq!(of_box.at, at, "{name}");
        assert!(of_box.held_max > 0 && of_box.packets_out > 0, "{name}: {of_box:?}");
        let flows = of(&outcome, "bulk");
        assert!(flows.segments_sent >= of_box.packets_in / 2, "{name}: {of_box:?}");
        assert_eq!(of_box.mobiles, if more.is_empty() { 1 } else { 3 }, "{name}: {of_box:?}");
    }
}

/// An uplink that falls to a sixth and comes back: what is estimated from the answers to echo
/// requests, or reported, keeps a ping short all the while, and carries what no box carries.
#[test]
fn a_window_follows_the_rate() {
    let steps: Settings<'_> = &[
        ("duration", "90 s"),
        ("queue.packets", "100"),
        ("radio.uplink.tti", "10 ms"),
        ("radio.uplink.rate", "384 kbit/s"),
        (
            "radio.uplink.schedule",
            "[{at = \"30 s\", rate = \"64 kbit/s\"}, {at = \"60 s\", rate = \"384 kbit/s\"}]",
        ),
    ];
    let with =
        |more: &[Settings<'_>]| run("umts-384", &[&[GROUPS, PING, BULK, steps], more].concat());
    let none = with(&[]);
    let known = known("384 kbit/s", "90 ms");
    for estimator in ["radio", "westwood"] {
        let told = with(&[BOX, &known, &[("middlebox.atcp.estimator", estimator)]]);
        let [of_box, of_none] = [&told, &none].map(delay);
        assert!(of_box < 0.1 * of_none, "{estimator}: {of_box} s, without {of_none} s");
        let [of_box, of_none] = [&told, &none].map(carried);
        assert!(of_box >= 0.95 * of_none, "{estimator}: {of_box} bit/s, without {of_none}");
    }
}
