//! A change of a world that runs is a step of a schedule at its time.

use base::{Duration, Time};
use observe::{Context, Observe, PacketFact};
use scenario::{Change, Live, LiveKey, Scenario, build, shipped};
use tcp::Length;
use world::{Ipv4, World};

type Settings<'a> = &'a [(&'a str, &'a str)];

fn parse(name: &str, settings: Settings<'_>) -> Scenario {
    let text = shipped().iter().find(|shipped| shipped.name == name).map(|shipped| shipped.text);
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let parsed = Scenario::parse(text.unwrap_or(name), "test", &settings);
    parsed.unwrap_or_else(|error| panic!("{error}"))
}

/// What happens to packets, and when.
#[derive(Default)]
struct Packets(Vec<String>);

impl Observe for Packets {
    fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        let PacketFact { event, machine, uid, bytes, .. } = fact;
        self.0.push(format!("{now:?} {uid}: {event:?} at {machine}, {bytes} B"));
    }
}

const END: Duration = Duration::from_secs(20);

fn run(world: &mut World<Ipv4<Length>>, until: Time, packets: &mut Packets) {
    while world.step(until, packets).is_some() {}
}

/// What is done to a world that runs, at a time in ms.
enum Deed<'a> {
    Change(Settings<'a>),
    BlackOut(Duration),
}

/// Runs `scenario` with deeds in order of time.
fn live(name: &str, settings: Settings<'_>, deeds: &[(u64, Deed<'_>)]) -> Vec<String> {
    let scenario = parse(name, settings);
    let (mut world, mut packets) = (build(&scenario).world, Packets::default());
    let mut state = Live::new(scenario.clone());
    for (at, deed) in deeds {
        let now = Time::ZERO + Duration::from_millis(*at);
        run(&mut world, Time::from_nanos(now.as_nanos() - 1), &mut packets);
        let cx = &mut Context { now, observe: &mut packets };
        match deed {
            Deed::Change(changed) => {
                let keys = scenario.live_keys_of(changed.iter().map(|(key, _)| *key));
                let wanted = parse(name, &[settings, changed].concat());
                let change = Change::new(keys.expect("they can be changed"), wanted);
                state.change(&mut world, cx, &change);
            }
            Deed::BlackOut(lasts) => state.black_out(&mut world, cx, *lasts),
        }
    }
    run(&mut world, Time::ZERO + END, &mut packets);
    packets.0
}

fn scheduled(name: &str, settings: Settings<'_>) -> Vec<String> {
    live(name, settings, &[])
}

fn check(name: &str, settings: Settings<'_>, deeds: &[(u64, Deed<'_>)], steps: Settings<'_>) {
    let [seen, expect] =
        [live(name, settings, deeds), scheduled(name, &[settings, steps].concat())];
    assert!(expect.len() > 200, "{name}: {} facts", expect.len());
    assert_ne!(expect, scheduled(name, settings), "{name}: {steps:?} changes something");
    let first = seen.iter().zip(&expect).find(|(seen, expect)| seen != expect);
    assert_eq!((first, seen.len()), (None, expect.len()), "{name}: {settings:?}, {steps:?}");
}

const LINK: &str =
    "link.rate = \"1 Mbit/s\"\nlink.delay = \"50 ms\"\nlink.back.rate = \"1 Mbit/s\"";
const SECONDS: fn(u64) -> Duration = Duration::from_secs;

#[test]
fn a_link_changes_as_by_its_schedule() {
    let rate = Deed::Change(&[("link.rate", "300 kbit/s")]);
    let back = Deed::Change(&[("link.rate", "5 Mbit/s")]);
    let steps = "[{at='2003 ms', rate='300 kbit/s'}, {at='4 s', rate='5 Mbit/s'}]";
    check(LINK, &[], &[(2003, rate), (4000, back)], &[("link.schedule", steps)]);

    let later = [("link.schedule", "[{at='1 s', loss='5 %'}, {at='6 s', rate='1 Mbit/s'}]")];
    let steps = "[{at='1 s', loss='5 %'}, {at='3 s', rate='2 Mbit/s', delay='10 ms', loss='0 %'},
                  {at='6 s', rate='1 Mbit/s'}]";
    let all = Deed::Change(&[
        ("link.back.loss", "10 %"),
        ("link.delay", "10 ms"),
        ("link.loss", "0 %"),
        ("link.rate", "2 Mbit/s"),
    ]);
    let back = "[{at='3 s', loss='10 %', delay='10 ms'}]";
    let steps = [("link.schedule", steps), ("link.back.schedule", back)];
    check(LINK, &later, &[(3000, all)], &steps);

    let apart = [("queue.kind", "codel"), ("link.back.delay", "30 ms")];
    let change = Deed::Change(&[("link.delay", "200 ms"), ("link.back.rate", "20 kbit/s")]);
    let steps = [
        ("link.schedule", "[{at='2500 ms', delay='200 ms'}]"),
        ("link.back.schedule", "[{at='2500 ms', rate='20 kbit/s'}]"),
    ];
    check(LINK, &apart, &[(2500, change)], &steps);
    let unlimited = Deed::Change(&[("link.rate", "unlimited"), ("link.back.delay", "70 ms")]);
    let steps = [
        ("link.schedule", "[{at='2500 ms', rate='unlimited'}]"),
        ("link.back.schedule", "[{at='2500 ms', delay='70 ms'}]"),
    ];
    check(LINK, &[("tcp.window", "40")], &[(2500, unlimited)], &steps);
}

#[test]
fn a_wire_begins_to_disorder_packets() {
    let free = [("link.jitter_order", "free"), ("link.back.reorder_distance", "2")];
    let all = Deed::Change(&[
        ("link.jitter", "20 ms"),
        ("link.reorder", "2 %"),
        ("link.duplicate", "3 %"),
        ("link.corrupt", "1 %"),
        ("link.back.jitter", "10 ms"),
        ("link.back.reorder", "5 %"),
        ("link.back.duplicate", "4 %"),
        ("link.back.corrupt", "2 %"),
    ]);
    let none = Deed::Change(&[("link.jitter", "0 s"), ("link.corrupt", "0")]);
    let steps = [
        (
            "link.schedule",
            "[{at='2003 ms', jitter='20 ms', reorder='2 %', duplicate='3 %', corrupt='1 %'},
              {at='6 s', jitter='0 s', corrupt=0}]",
        ),
        (
            "link.back.schedule",
            "[{at='2003 ms', jitter='10 ms', reorder='5 %', duplicate='4 %', corrupt='2 %'}]",
        ),
    ];
    check(LINK, &free, &[(2003, all), (6000, none)], &steps);
}

#[test]
fn a_black_out_is_an_outage() {
    let outages = |spans| [("link.outages", spans), ("link.back.outages", spans)];
    let black_out = Deed::BlackOut(SECONDS(1));
    check(LINK, &[], &[(2000, black_out)], &outages("[['2 s', '3 s']]"));
    // It is prolonged, and ended early; it is besides those that the scenario has.
    let deeds = [
        (2000, Deed::BlackOut(SECONDS(3))),
        (4000, Deed::BlackOut(SECONDS(3))),
        (4500, Deed::BlackOut(Duration::ZERO)),
    ];
    check(LINK, &[], &deeds, &outages("[['2 s', '4500 ms']]"));
    let given = outages("[['1500 ms', '1700 ms'], ['2300 ms', '2400 ms']]");
    let black_out = || Deed::BlackOut(SECONDS(1));
    let apart = outages("[['1500 ms', '1700 ms'], ['2100 ms', '3100 ms']]");
    check(LINK, &given, &[(2100, black_out())], &apart);
    let joined = outages("[['1500 ms', '2600 ms']]");
    check(LINK, &given, &[(1600, black_out())], &joined);
}

#[test]
fn a_dedicated_channel_changes_as_by_its_schedule() {
    let change = Deed::Change(&[("radio.tbler", "30 %")]);
    let steps = [("radio.schedule", "[{at='3 s', tbler='30 %'}]")];
    check("umts-dch-384", &[], &[(3000, change)], &steps);

    let rates =
        Deed::Change(&[("radio.downlink.rate", "64 kbit/s"), ("radio.uplink.rate", "8 kbit/s")]);
    let steps = [
        ("radio.downlink.schedule", "[{at='2995 ms', rate='64 kbit/s'}]"),
        ("radio.uplink.schedule", "[{at='2995 ms', rate='8 kbit/s'}]"),
    ];
    check("umts-dch-384", &[("radio.tbler", "10 %")], &[(2995, rates)], &steps);

    let given = [("radio.schedule", "[{at='2500 ms', coverage=true}, {at='6 s', tbler='20 %'}]")];
    let steps = [(
        "radio.schedule",
        "[{at='2 s', coverage=false}, {at='3 s', coverage=true}, {at='6 s', tbler='20 %'}]",
    )];
    check("umts-dch-384", &given, &[(2000, Deed::BlackOut(SECONDS(1)))], &steps);
    let deeds = [(2000, Deed::BlackOut(SECONDS(3))), (3000, Deed::BlackOut(Duration::ZERO))];
    check("umts-dch-384", &given, &deeds, &steps);
}

#[test]
fn a_gprs_radio_has_black_outs() {
    let gprs = "gprs-8+1";
    let set = [("flow.bytes", "614400 B")];
    let spans = |spans| [("radio.outages", spans)];
    let black_out = || Deed::BlackOut(SECONDS(1));
    check(gprs, &set, &[(3000, black_out())], &spans("[['3 s', '4 s']]"));
    let given = [set[0], spans("[['2500 ms', '3500 ms'], ['6 s', '7 s']]")[0]];
    let steps = spans("[['2500 ms', '3500 ms'], ['3500 ms', '4 s'], ['6 s', '7 s']]");
    check(gprs, &given, &[(3000, black_out())], &steps);
}

#[test]
fn a_satellite_changes_as_by_its_rain_and_its_outages() {
    let leo: Settings<'_> =
        &[("radio.downlink.rate", "1 Mbit/s"), ("radio.leo.slot", "2 s"), ("queue.bytes", "50 kB")];
    let half = [("radio.downlink.rate", "500 kbit/s"), ("radio.uplink.rate", "20 Mbit/s")];
    let rain = [("radio.rain", "[{at='3 s', share='50 %'}]")];
    check("leo-15s", leo, &[(3000, Deed::Change(&half))], &rain);
    // With rain already, and capacity on demand.
    let given = [("radio.rain", "[{at='1 s', share='60 %'}, {at='6 s', share='100 %'}]")];
    let half = [("radio.downlink.rate", "1 Mbit/s"), ("radio.uplink.rate", "256 kbit/s")];
    let rain = [(
        "radio.rain",
        "[{at='1 s', share='60 %'}, {at='3 s', share='30 %'}, {at='6 s', share='50 %'}]",
    )];
    check("satcom-edge", &given, &[(3000, Deed::Change(&half))], &rain);

    let outages = |spans| [("radio.outages", spans)];
    let black_out = || Deed::BlackOut(SECONDS(1));
    check("leo-15s", leo, &[(3000, black_out())], &outages("[['3 s', '4 s']]"));
    let given = [leo, &outages("[['2500 ms', '3500 ms'], ['6 s', '7 s']]")].concat();
    let joined = outages("[['2500 ms', '4 s'], ['6 s', '7 s']]");
    check("leo-15s", &given, &[(3000, black_out())], &joined);
    let deeds = [(5000, Deed::BlackOut(SECONDS(9))), (7000, Deed::BlackOut(Duration::ZERO))];
    check("satcom-edge", &[], &deeds, &outages("[['5 s', '7 s'], ['60 s', '75 s']]"));
}

/// The uplink and downlink flow again soon after the end of a black-out that ends early or late.
/// So narrow a cell that its packets can be listed.
const NARROW: Settings<'_> = &[("radio.lte.resource_blocks", "6"), ("queue.bytes", "60 kB")];

#[test]
fn a_cell_changes_as_by_its_steps() {
    let narrow = &[("radio.nr.resource_blocks", "11"), ("queue.bytes", "60 kB")];
    let uplink = &[NARROW, &[("flow.direction", "uplink")]].concat();
    let small = &[("tcp.mss", "200 B")];
    let cases: [(&str, Settings<'_>, _, _); 6] = [
        ("lte-drive-test", NARROW, ("radio.downlink.snr", "1 dB"), "radio.downlink.snrs"),
        ("lte-cat4", NARROW, ("radio.downlink.snr", "1 dB"), "radio.downlink.snrs"),
        ("lte-cat4", uplink, ("radio.uplink.snr", "1 dB"), "radio.uplink.snrs"),
        ("nr-tdd-100", narrow, ("radio.downlink.snr", "1 dB"), "radio.downlink.snrs"),
        ("hsdpa-3.6", &[], ("radio.downlink.snr", "0 dB"), "radio.downlink.snrs"),
        ("nb-iot", small, ("radio.coupling_loss", "150 dB"), "radio.coupling_losses"),
    ];
    for (name, settings, change, steps) in cases {
        let (_, key) = change.0.split_once('.').expect("of [radio]");
        let field = key.rsplit('.').next().expect("it has a name");
        let step = format!("[{{at = '5 s', {field} = '{}'}}]", change.1);
        check(name, settings, &[(5000, Deed::Change(&[change]))], &[(steps, &step)]);
    }
}

/// A recording gives back its own ratios: as what is told of them while it runs, and packet by
/// packet as if they were steps.
#[test]
fn a_drive_has_the_ratios_that_were_recorded() {
    let file = include_str!("../../../scenarios/traces/lte-drive-test.csv");
    let lines = file.lines().filter(|line| line.starts_with("2025"));
    let recorded: Vec<(u64, &str)> = (0..)
        .zip(lines.map(|line| line.split(',').nth(9).expect("it has an SNR")))
        .filter(|(_, snr)| *snr != "-")
        .collect();
    assert_eq!(recorded.len(), 57);
    let live = Live::new(parse("lte-drive-test", &[]));
    for (second, snr) in &recorded {
        let values = live.state(Time::ZERO + SECONDS(*second)).values;
        for key in ["radio.downlink.snr", "radio.uplink.snr"] {
            assert!(values.contains(&(key, format!("{snr} dB"))), "{second} s: {values:?}");
        }
    }
    let step = |&(second, snr): &(u64, &str)| format!("{{at = '{second} s', snr = '{snr} dB'}}");
    let steps = format!("[{}]", recorded.iter().map(step).collect::<Vec<_>>().join(", "));
    let steps = ["downlink", "uplink"].map(|way| {
        let key = |name| format!("radio.{way}.{name}");
        [(key("trace"), "off"), (key("snrs"), &steps)]
    });
    let steps: Vec<_> = steps.iter().flatten().map(|(key, value)| (key.as_str(), *value)).collect();
    let [seen, expect] =
        [NARROW, &[NARROW, &steps].concat()].map(|settings| scheduled("lte-drive-test", settings));
    assert!(expect.len() > 2000, "{} facts", expect.len());
    assert_eq!(seen.iter().zip(&expect).find(|(seen, expect)| seen != expect), None);
    assert_eq!(seen.len(), expect.len());
}

/// A share of errors has no steps: one that is given before anything is sent is as from the start.
#[test]
fn a_cell_takes_another_error_rate() {
    for (name, settings, key) in [
        ("lte-cat4", NARROW, "radio.downlink.bler"),
        ("lte-cat4", NARROW, "radio.uplink.bler"),
        ("hsdpa-3.6", &[], "radio.downlink.bler"),
        ("gprs-8+1", &[], "radio.tbler"),
        ("edge-4+1", &[], "radio.tbler"),
        ("umts-cell-50", &[("radio.ues", "3")], "radio.tbler"),
    ] {
        let change = [(key, "30 %")];
        check(name, settings, &[(1, Deed::Change(&change))], &change);
    }
    let change = [("radio.ci", "15 dB")];
    let long = [("flow.bytes", "600 kB")];
    check(&edge_with("ci = '25 dB'"), &long, &[(1, Deed::Change(&change))], &change);
}

/// `edge-4+1` with another key that says how often its blocks err.
fn edge_with(errors: &str) -> String {
    let shipped = shipped().iter().find(|shipped| shipped.name == "edge-4+1").expect("it is there");
    let given = "tbler = \"3 %\"";
    assert!(shipped.text.contains(given));
    shipped.text.replace(given, errors)
}

/// An error rate that changes holds from then on: what was before is as it was.
#[test]
fn slots_and_cells_err_from_the_change_on() {
    let by_ci = edge_with("ci = '25 dB'");
    for (name, settings, change) in [
        ("gprs-8+1", &[][..], ("radio.tbler", "90 %")),
        ("umts-cell-50", &[("radio.ues", "3")], ("radio.tbler", "90 %")),
        (&by_ci, &[], ("radio.ci", "-5 dB")),
    ] {
        let usual = scheduled(name, settings);
        let changed = live(name, settings, &[(10_000, Deed::Change(&[change]))]);
        let same = usual.iter().zip(&changed).take_while(|(usual, changed)| usual == changed);
        let same = same.count();
        let is_before = |fact: &&String| seconds(fact).is_some_and(|time| time < 10.0);
        assert!(same >= usual.iter().filter(is_before).count(), "{name}: {same}");
        assert!(10 * (changed.len() - same) < 7 * (usual.len() - same), "{name}: {same}");
    }
}

/// When a fact happened.
fn seconds(fact: &str) -> Option<f64> {
    fact.split('s').next().and_then(|time| time.parse().ok())
}

#[test]
fn a_black_out_of_a_gprs_radio_ends_when_it_is_told() {
    let last = |deeds: &[(u64, Deed<'_>)]| {
        let facts = live("gprs-8+1", &[], deeds);
        let left = facts.iter().filter(|fact| fact.contains("Left at") && fact.contains("1388 B"));
        left.filter_map(|fact| seconds(fact)).collect::<Vec<f64>>()
    };
    let pause = |deeds: &[(u64, Deed<'_>)]| {
        let times = last(deeds);
        let gaps = times.windows(2).map(|pair| (pair[1] - pair[0], pair[1]));
        gaps.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |gap| gap.1)
    };
    let (long, none) = (Deed::BlackOut(SECONDS(4)), Deed::BlackOut(Duration::ZERO));
    let ended = pause(&[(2000, long), (3000, none)]);
    assert!((3.0..4.5).contains(&ended), "ended early, it flows at {ended} s");
    let (short, more) = (Deed::BlackOut(SECONDS(1)), Deed::BlackOut(SECONDS(2)));
    let ended = pause(&[(2000, short), (2500, more)]);
    assert!((4.5..6.0).contains(&ended), "prolonged, it flows at {ended} s");
}

#[test]
fn what_can_be_changed() {
    let check = |scenario: &Scenario, key: &str, expect: Result<usize, &str>| {
        let keys = scenario.live_keys_of([key]).map(|keys| keys.len());
        assert_eq!(keys, expect.map_err(ToOwned::to_owned));
    };
    let link = parse(LINK, &[]);
    check(&link, "link.back.loss", Ok(1));
    check(
        &link,
        "radio.tbler",
        Err("radio.tbler: cannot be changed while it runs; these can: link.rate, link.delay, \
             link.loss, link.jitter, link.reorder, link.duplicate, link.corrupt, link.back.rate, \
             link.back.delay, link.back.loss, link.back.jitter, link.back.reorder, \
             link.back.duplicate, link.back.corrupt"),
    );
    let umts = parse("umts-dch-384", &[]);
    check(
        &umts,
        "queue.packets",
        Err("queue.packets: cannot be changed while it runs; these can: radio.tbler, \
             radio.downlink.rate, radio.uplink.rate"),
    );
    let leo = parse("leo-15s", &[]);
    check(&leo, "radio.uplink.rate", Ok(1));
    check(
        &leo,
        "radio.ground",
        Err("radio.ground: cannot be changed while it runs; these can: radio.downlink.rate, \
             radio.uplink.rate"),
    );
    let lte = parse("lte-cat4", &[]);
    check(
        &lte,
        "radio.downlink.mcs",
        Err("radio.downlink.mcs: cannot be changed while it runs; these can: radio.downlink.snr, \
             radio.uplink.snr, radio.downlink.bler, radio.uplink.bler"),
    );
    let carrier = parse("nb-iot", &[]);
    check(
        &carrier,
        "radio.category",
        Err("radio.category: cannot be changed while it runs; these can: radio.coupling_loss"),
    );
    let wired = "[[wired]]\nname = \"Gi\"\nbetween = [\"a\", \"b\"]";
    let wired = parse(wired, &[]);
    check(&wired, "x", Err("x: cannot be changed while it runs; no key can be changed"));
    assert_eq!(
        wired.check_black_out().unwrap_err(),
        "black-out: needs [link] or a radio of kind umts-dch, gprs, leo, geo, lte, nb-iot, \
         nr or umts-hs; no key can be changed"
    );
    for name in ["umts-dch-384", "gprs-8+1", "leo-15s", "satcom-edge", "hsdpa-3.6", "nb-iot"] {
        assert_eq!(parse(name, &[]).check_black_out(), Ok(()), "{name}");
    }
}

/// `radio.tbler` and `radio.ci` can be changed where they determine how many blocks of all mobiles
/// err.
#[test]
fn what_determines_errors_can_be_changed() {
    let check = |scenario: &Scenario, expect: &[&str]| {
        let keys: Vec<_> = scenario.live_keys().into_iter().map(LiveKey::name).collect();
        assert_eq!(keys, expect);
    };
    let cells = shipped().iter().find(|shipped| shipped.name == "umts-cell-50").expect("it is");
    let listed = format!("{}\n[[radio.ue]]\nname = \"A\"\n", cells.text);
    for name in ["edge-4+1", "gprs-3+1", "umts-cell-50", &listed] {
        check(&parse(name, &[]), &["radio.tbler"]);
    }
    check(&parse(&edge_with("ci = '12 dB'"), &[]), &["radio.ci"]);
    check(&parse(&edge_with("gilbert_elliott.bad = '10 %'"), &[]), &[]);
    check(&parse("umts-cell-50", &[("radio.downlink.tbler", "1 %")]), &[]);
    check(&parse("umts-cell-50", &[("radio.interference.error_rates", "from-place")]), &[]);
    check(&parse(&format!("{listed}tbler = \"1 %\"\n"), &[]), &[]);
}

#[test]
fn it_tells_what_it_is_like() {
    let scenario = parse(LINK, &[("link.schedule", "[{at='5 s', loss='1 %'}]")]);
    let (mut world, mut state) = (build(&scenario).world, Live::new(scenario.clone()));
    let values = |state: &Live, seconds| {
        let state = state.state(Time::ZERO + SECONDS(seconds));
        let values: Vec<_> = state.values.into_iter().map(|(_, value)| value).collect();
        (values.join(", "), state.black_out)
    };
    let first = "1 Mbit/s, 50 ms, 0, 0 s, 0, 0, 0, 1 Mbit/s, 50 ms, 0, 0 s, 0, 0, 0";
    assert_eq!(values(&state, 0), (first.to_owned(), Duration::ZERO));
    let (now, mut packets) = (Time::ZERO + SECONDS(2), Packets::default());
    let cx = &mut Context { now, observe: &mut packets };
    let settings: Settings<'_> = &[("link.rate", "unlimited"), ("link.delay", "1 s")];
    let keys = scenario.live_keys_of(settings.iter().map(|(key, _)| *key)).expect("they can");
    state.change(&mut world, cx, &Change::new(keys, parse(LINK, settings)));
    state.black_out(&mut world, cx, SECONDS(3));
    let second = "unlimited, 1 s, 0, 0 s, 0, 0, 0, 1 Mbit/s, 1 s, 0, 0 s, 0, 0, 0";
    assert_eq!(values(&state, 3), (second.to_owned(), SECONDS(2)));
    let third = "unlimited, 1 s, 0.01, 0 s, 0, 0, 0, 1 Mbit/s, 1 s, 0, 0 s, 0, 0, 0";
    assert_eq!(values(&state, 6), (third.to_owned(), Duration::ZERO));
}

#[test]
fn it_tells_how_often_blocks_err() {
    let by_ci = edge_with("ci = '12 dB'");
    for (name, change, expect) in [
        ("edge-4+1", ("radio.tbler", "30 %"), ["0.03", "0.3"]),
        ("umts-cell-50", ("radio.tbler", "30 %"), ["0.05", "0.3"]),
        (&by_ci, ("radio.ci", "8 dB"), ["12 dB", "8 dB"]),
    ] {
        let scenario = parse(name, &[]);
        let (mut world, mut state) = (build(&scenario).world, Live::new(scenario.clone()));
        let now = Time::ZERO + SECONDS(1);
        let value = |state: &Live| state.state(now).values;
        assert_eq!(value(&state), [(change.0, expect[0].to_owned())]);
        let keys = scenario.live_keys_of([change.0]).expect("it can");
        let cx = &mut Context { now, observe: &mut Packets::default() };
        state.change(&mut world, cx, &Change::new(keys, parse(name, &[change])));
        assert_eq!(value(&state), [(change.0, expect[1].to_owned())]);
    }
}
