//! The keys of links and queues: what they may say, what is wrong with what they may not, and the
//! files that they name.

use std::cell::RefCell;

use base::{Duration, Probability, Rate, Schedule, Time};
use link::Service;
use link::disorder::jitter::{Distribution, Order};
use link::disorder::{self, jitter};
use link::queue::{Discipline, Kind, Notice, cake, codel, dualpi2, fq_codel, pie};
use proptest::prelude::*;
use radio::Radio;
use scenario::{Error, Outside, Scenario, build, shipped};

const PLAIN: &str = "[link]\nrate = \"800 kbit/s\"\n";

/// Parses where `good.trace` and `bad.trace` can be read.
fn parse(source: &str, settings: &[(&str, &str)]) -> Result<Scenario, Error> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let read = &|path: &str| match path {
        "good.trace" | "runs/good.trace" => Ok(b"5\n10\n".to_vec()),
        "bad.trace" => Ok(b"5\n10\nten\n".to_vec()),
        "back.trace" => Ok(b"5\n4\n".to_vec()),
        "empty.trace" => Ok(Vec::new()),
        "good.csv" => Ok(b"series,at_ms,ms,packets\ndelay,0,9,\nheavy,10,,2\n".to_vec()),
        "bad.csv" => Ok(b"series,at_ms,ms,packets\nheavy,10,,2\nheavy,9,,2\n".to_vec()),
        _ => Err("No such file or directory".to_owned()),
    };
    Scenario::parse_from(source, "runs/mine.toml", &settings, &Outside { customs: &[], read })
}

fn set(settings: &[(&str, &str)]) -> Scenario {
    parse(PLAIN, settings).expect("valid")
}

fn refused(source: &str, expect: &str) {
    let error = parse(source, &[]).expect_err(source);
    assert_eq!(error.to_string(), format!("runs/mine.toml{expect}"));
}

fn refused_setting(settings: &[(&str, &str)], expect: &str) {
    let error = parse(PLAIN, settings).expect_err(expect);
    assert_eq!(error.to_string(), expect, "{settings:?}");
}

const fn at(seconds: u64) -> Time {
    Time::from_nanos(seconds * 1_000_000_000)
}

#[test]
fn lists_of_packets_in_whatever_words() {
    let list =
        |text| set(&[("link.drop_arrivals", text)]).link.expect("there").losses.drop_arrivals;
    for text in ["[14, 28]", "[14,28]", "14,28", "14, 28", "\"14,28\"", "[14, 28,]"] {
        assert_eq!(list(text), [14, 28], "{text}");
    }
    assert_eq!(list("3"), [3]);
    assert_eq!(list("[]"), [0; 0]);
    let source = format!("{PLAIN}drop_arrivals = [14, 28]\n[link.back]\ndrop_arrivals = 3");
    let link = parse(&source, &[]).expect("valid").link.expect("there");
    assert_eq!(
        (link.losses.drop_arrivals, link.back.losses.drop_arrivals),
        (vec![14, 28], vec![3])
    );
}

#[test]
fn schedules_become_rates_delays_and_losses_over_time() {
    let schedule = "[{at = '20 s', rate = '120 kbit/s'}, {at = '30 s', rate = 'unlimited', \
                    delay = '50 ms', loss = '1 %'}, {at = '40 s', loss = 0}]";
    let scenario = set(&[("link.schedule", schedule), ("link.delay", "100 ms")]);
    let config = scenario.link.as_ref().expect("there").down(&scenario.queue);
    let rate = |kbps: u64| Some(Rate::from_bps(kbps * 1000));
    let rates = Schedule::new(rate(800), vec![(at(20), rate(120)), (at(30), None)]);
    assert_eq!(config.service, Service::Rate(rates));
    let delay = Duration::from_millis;
    assert_eq!(config.delay, Schedule::new(delay(100), vec![(at(30), delay(50))]));
    let never = Probability::NEVER;
    let chance = Probability::new(0.01).expect("in range");
    let loss = Schedule::new(never, vec![(at(30), chance), (at(40), never)]);
    assert_eq!(config.loss.bernoulli, Some(loss));
    assert_eq!(
        scenario.link.expect("there").up(&scenario.queue).as_pipe().map(|pipe| pipe.delay),
        Some(delay(100))
    );
}

/// Wires change in both directions, and a step that says nothing changes nothing.
#[test]
fn schedules_of_wires_become_rates_over_time() {
    let wire = "[[wired]]\nname = \"a\"\nbetween = [\"b\", \"c\"]\nrate = \"1 Mbit/s\"\n";
    let steps =
        "[{at = '2 s', rate = '64 kbit/s'}, {at = '3 s'}, {at = '4 s', rate = 'unlimited'}]";
    let scenario = parse(wire, &[("wired.a.schedule", steps)]).expect("valid");
    let wire = scenario.wired.first().expect("there");
    let rates = wire.schedule.iter().map(|step| step.rate.map(|rate| rate.map(Rate::as_bps)));
    assert_eq!(rates.collect::<Vec<_>>(), [Some(Some(64_000)), None, Some(None)]);
}

#[test]
fn queues_become_disciplines() {
    let config = |settings: &[(&str, &str)]| set(settings).queue.forth();
    let red = config(&[("queue.kind", "red"), ("queue.red.gentle", "false")]);
    assert!(matches!(red.discipline, Discipline::Red(_)));
    let codel = config(&[("queue.kind", "codel"), ("queue.ecn", "true")]);
    assert!(matches!(codel.discipline, Discipline::CoDel(_)));
    assert_eq!((red.notice, codel.notice), (Notice::Drop, Notice::Mark));
    assert_eq!(set(&[]).queue.kind, Kind::DropTail);
    assert_eq!(config(&[("queue.bytes", "30 kB")]).limit.bytes, Some(30_000));
}

#[test]
fn the_keys_of_a_discipline_reach_it() {
    let config = |settings: &[(&str, &str)]| set(settings).queue.forth();
    let keys = [
        ("queue.kind", "fq-codel"),
        ("queue.fq_codel.target", "1 ms"),
        ("queue.fq_codel.interval", "20 ms"),
        ("queue.fq_codel.mtu", "300 B"),
        ("queue.fq_codel.quantum", "300 B"),
        ("queue.fq_codel.flows", "7"),
        ("queue.fq_codel.drop_batch", "8"),
        ("queue.fq_codel.backlog", "all"),
    ];
    let milliseconds = Duration::from_millis;
    let codel = codel::Config { target: milliseconds(1), interval: milliseconds(20), mtu: 300 };
    let backlog = fq_codel::Backlog::All;
    let expect = fq_codel::Config { codel, quantum: 300, flows: 7, drop_batch: 8, backlog };
    assert_eq!(config(&keys).discipline, Discipline::FqCoDel(expect));
    let keys = [
        ("queue.kind", "pie"),
        ("queue.pie.target", "1 ms"),
        ("queue.pie.update", "2 ms"),
        ("queue.pie.alpha", "0.5"),
        ("queue.pie.beta", "5"),
        ("queue.pie.max_burst", "0 s"),
        ("queue.pie.ecn_threshold", "20 %"),
        ("queue.pie.mean_packet", "300 B"),
    ];
    let expect = pie::Config {
        target: milliseconds(1),
        update: milliseconds(2),
        alpha: 0.5,
        beta: 5.0,
        max_burst: Duration::ZERO,
        ecn_threshold: Probability::new(0.2).expect("in range"),
        mean_packet: 300,
    };
    assert_eq!(config(&keys).discipline, Discipline::Pie(expect));
    let keys = [
        ("queue.kind", "dualpi2"),
        ("queue.dualpi2.rtt_max", "200 ms"),
        ("queue.dualpi2.rtt_typical", "20 ms"),
        ("queue.dualpi2.target", "1 ms"),
        ("queue.dualpi2.update", "2 ms"),
        ("queue.dualpi2.alpha", "0.5"),
        ("queue.dualpi2.beta", "5"),
        ("queue.dualpi2.coupling", "3"),
        ("queue.dualpi2.step", "800 us"),
        ("queue.dualpi2.ramp", "400 us"),
        ("queue.dualpi2.step_packets", "2"),
        ("queue.dualpi2.scheduler", "ts-fifo"),
        ("queue.dualpi2.time_shift", "30 ms"),
    ];
    let expect = dualpi2::Config {
        rtt_max: Some(milliseconds(200)),
        rtt_typical: Some(milliseconds(20)),
        target: Some(milliseconds(1)),
        update: Some(milliseconds(2)),
        alpha: Some(0.5),
        beta: Some(5.0),
        coupling: 3.0,
        step: Duration::from_micros(800),
        ramp: Duration::from_micros(400),
        step_packets: 2,
        scheduler: dualpi2::Scheduler::TimeShifted,
        time_shift: milliseconds(30),
        ..dualpi2::Config::default()
    };
    assert_eq!(config(&keys).discipline, Discipline::DualPi2(expect));
}

#[test]
fn the_keys_of_cake_reach_it() {
    let keys = [
        ("queue.kind", "cake"),
        ("queue.cake.rate", "20 Mbit/s"),
        ("queue.cake.overhead", "38 B"),
        ("queue.cake.mpu", "84 B"),
        ("queue.cake.framing", "ptm"),
        ("queue.cake.rtt", "30 ms"),
        ("queue.cake.tins", "diffserv4"),
        ("queue.cake.isolation", "dual-dsthost"),
    ];
    let expect = cake::Config {
        rate: Some(Rate::from_bps(20_000_000)),
        overhead: 38,
        mpu: 84,
        framing: cake::Framing::Ptm,
        rtt: Duration::from_millis(30),
        tins: cake::Tins::Diffserv4,
        isolation: cake::Isolation::DualDstHost,
    };
    assert_eq!(set(&keys).queue.forth().discipline, Discipline::Cake(expect));
}

/// RFC 8290 §5.2.3.
#[test]
fn how_many_packets_fit_depends_on_the_kind() {
    let packets = |settings: &[(&str, &str)]| {
        let queue = set(settings).queue;
        [queue.forth(), queue.back()].map(|config| config.limit.packets)
    };
    let (forth, back) = (("queue.kind", "fq-codel"), ("queue.back.kind", "fq-codel"));
    assert_eq!(packets(&[("queue.kind", "codel")]), [Some(50); 2]);
    assert_eq!(packets(&[("queue.kind", "pie")]), [Some(1000), Some(50)]);
    assert_eq!(packets(&[("queue.kind", "dualpi2")]), [Some(10_000), Some(50)]);
    assert_eq!(packets(&[("queue.kind", "cake")]), [Some(10_240), Some(50)]);
    assert_eq!(packets(&[forth, back]), [Some(10_240); 2]);
    assert_eq!(packets(&[forth]), [Some(10_240), Some(50)]);
    assert_eq!(packets(&[back]), [Some(50), Some(10_240)]);
    assert_eq!(packets(&[forth, back, ("queue.packets", "9")]), [Some(9); 2]);
    assert_eq!(packets(&[back, ("queue.back.packets", "unlimited")]), [Some(50), None]);
}

#[test]
fn the_way_back_has_a_delay_of_its_own_or_that_of_the_way_forth() {
    let delay = Duration::from_millis;
    let ways = |settings: &[(&str, &str)]| {
        let scenario = set(settings);
        let link = scenario.link.expect("there");
        [link.down(&scenario.queue), link.up(&scenario.queue)].map(|way| way.delay)
    };
    let forth = ("link.delay", "330 ms");
    let back = ("link.back.delay", "270 ms");
    assert_eq!(ways(&[forth]), [330, 330].map(|ms| Schedule::new(delay(ms), vec![])));
    assert_eq!(ways(&[forth, back]), [330, 270].map(|ms| Schedule::new(delay(ms), vec![])));
    let steps = ("link.back.schedule", "[{at = '5 s', delay = '1 s'}]");
    let changed = Schedule::new(delay(270), vec![(at(5), delay(1000))]);
    assert_eq!(ways(&[forth, back, steps])[1], changed);
}

/// As in ns-2, whose duplex links have one limit for either direction.
#[test]
fn the_way_back_has_a_queue_of_its_own_or_the_limits_of_the_way_forth() {
    let queue = |settings: &[(&str, &str)]| set(settings).queue.back();
    let limits = |settings: &[(&str, &str)]| {
        let limit = queue(settings).limit;
        (limit.packets, limit.bytes)
    };
    assert_eq!(limits(&[]), (Some(50), None));
    let both = [("queue.packets", "9"), ("queue.bytes", "3 kB")];
    assert_eq!(limits(&both), (Some(9), Some(3000)));
    let back = [("queue.back.packets", "7"), ("queue.back.bytes", "unlimited")];
    assert_eq!(limits(&[both, back].concat()), (Some(7), None));
    assert_eq!(limits(&[both[0], ("queue.back.packets", "unlimited")]), (None, None));
    let managed = [("queue.kind", "red"), ("queue.back.kind", "codel"), ("queue.ecn", "true")];
    assert_eq!(queue(&managed[..1]).discipline, Discipline::DropTail);
    assert!(matches!(queue(&managed).discipline, Discipline::CoDel(_)));
    assert_eq!(queue(&managed[1..]).notice, Notice::Mark);
}

#[test]
fn a_radio_has_a_queue_in_either_direction() {
    let limits = |settings: &[(&str, &str)]| {
        let scenario = parse("[radio]\n[queue]\npackets = 20", settings).expect("valid");
        let Some(Radio::UmtsDch { keys }) = &scenario.radio else { panic!("a bearer") };
        let config = keys.config(&scenario.radio_context(), "Uu");
        [config.downlink, config.uplink].map(|channel| channel.limit.packets)
    };
    assert_eq!(limits(&[]), [Some(20), Some(20)]);
    assert_eq!(limits(&[("queue.back.packets", "5")]), [Some(20), Some(5)]);
    assert_eq!(limits(&[("queue.back.packets", "unlimited")]), [Some(20), None]);
}

/// Without a profile: a link from the command line.
#[test]
fn a_link_is_set_up_by_settings_alone() {
    let text = shipped().iter().find(|shipped| shipped.name == "link").expect("it ships").text;
    let link = |settings: &[(&str, &str)]| parse(text, settings).expect("valid");
    let settings = [("link.rate", "2 Mbit/s"), ("link.delay", "40 ms"), ("link.loss", "1 %")];
    let scenario = link(&settings);
    let ways = scenario.link.as_ref().expect("there");
    let [down, up] = [ways.down(&scenario.queue), ways.up(&scenario.queue)];
    assert_eq!(build(&scenario).flows[0].bottleneck, Some(Rate::from_bps(2_000_000)));
    let delay = Schedule::new(Duration::from_millis(40), vec![]);
    assert_eq!((&down.delay, &up.delay), (&delay, &delay));
    assert!(down.loss.bernoulli.is_some() && up.loss.bernoulli.is_none());
    let trace = link(&[("link.trace.down", "good.trace"), ("link.trace.up", "good.trace")]);
    assert_eq!(build(&trace).flows[0].bottleneck, Some(Rate::from_bps(2_400_000)));
}

/// Throughput is compared with what a recorded link offers while the run lasts, which is its own
/// mean after each of its periods only.
#[test]
fn a_trace_offers_what_lies_within_the_run() {
    let offered = |duration| {
        let text = "[link]\ntrace.down = \"good.trace\"\n";
        build(&parse(text, &[("duration", duration)]).expect("valid")).flows[0]
            .bottleneck
            .map(Rate::as_bps)
    };
    let opportunities = |count: u64, ms: u64| Some(count * 1500 * 8 * 1000 / ms);
    for (duration, count, ms) in [("9 ms", 1, 9), ("14 ms", 2, 14), ("50 ms", 10, 50)] {
        assert_eq!(offered(duration), opportunities(count, ms), "{duration}");
    }
    assert_eq!(offered("4 ms"), Some(1), "none: nothing is divided by zero");
}

/// Without new keys a link costs what it did: both ways are pipes.
#[test]
fn a_plain_link_is_two_pipes() {
    let scenario = set(&[("link.loss", "0"), ("link.schedule", "[]"), ("link.outages", "[]")]);
    let link = scenario.link.as_ref().expect("there");
    assert!(
        link.down(&scenario.queue).as_pipe().is_some()
            && link.up(&scenario.queue).as_pipe().is_some()
    );
}

/// A path in a file starts from that file, one in a setting from where the caller is. Either wins
/// over a rate in the file, and a rate that is set over a trace.
#[test]
fn traces_are_read_where_they_are_named() {
    let in_file = "[link]\ntrace.down = \"good.trace\"\n";
    let rate = |scenario: &Scenario| build(scenario).flows[0].bottleneck.map(Rate::as_bps);
    let file = parse(in_file, &[]).expect("valid");
    assert_eq!(rate(&file), Some(2_400_000));
    let trace = &file.link.as_ref().expect("there").trace;
    assert_eq!(trace.down.as_ref().map(|file| file.path.as_str()), Some("runs/good.trace"));
    assert_eq!(rate(&set(&[("link.trace.down", "good.trace")])), Some(2_400_000));
    let over = parse(in_file, &[("link.rate", "1 Mbit/s")]).expect("valid");
    assert_eq!(rate(&over), Some(1_000_000));
    assert_eq!(rate(&set(&[("link.trace.up", "good.trace")])), Some(800_000));
}

/// A trace that depends on load stands where one of Mahimahi does.
#[test]
fn a_load_dependent_trace_takes_the_place_of_a_rate() {
    let rate = |scenario: &Scenario| build(scenario).flows[0].bottleneck.map(Rate::as_bps);
    assert_eq!(rate(&set(&[("link.trace.down", "good.csv")])), Some(2_400_000));
    refused_setting(
        &[("link.trace.down", "bad.csv")],
        "--set link.trace.down=bad.csv: bad.csv: line 3: heavy: at_ms must not go back",
    );
    refused_setting(
        &[("link.trace.up", "good.csv"), ("link.back.rate", "1 Mbit/s")],
        "--set link.trace.up=good.csv: give link.back.rate or link.trace.up, not both",
    );
}

/// What ships needs no file, in whatever scenario and wherever that is.
#[test]
fn traces_that_ship() {
    let path = |scenario: &Scenario| {
        let trace = &scenario.link.as_ref().expect("there").trace;
        trace.down.as_ref().map(|file| file.path.clone())
    };
    let down = Some("shipped:lte-drive-down".to_owned());
    let in_file = "[link]\ntrace.down = \"shipped:lte-drive-down\"";
    assert_eq!(path(&parse(in_file, &[]).expect("valid")), down);
    assert_eq!(path(&Scenario::parse(in_file, "mine", &[]).expect("no reader needed")), down);
    assert_eq!(path(&set(&[("link.trace.down", "shipped:lte-drive-down")])), down);
    refused(
        "[link]\ntrace.down = \"shipped:lte\"",
        ":2: link.trace.down = \"shipped:lte\": cannot read lte: no such trace ships; these do: \
         lte-drive-down, lte-drive-up, lte-drive-test",
    );
}

/// Of a link by a trace delays and losses can change while it runs, and black-outs happen.
#[test]
fn a_link_by_a_trace_can_change() {
    let shipped = shipped().iter().find(|shipped| shipped.name == "lte-drive").expect("it ships");
    let scenario = Scenario::parse(shipped.text, shipped.name, &[]).expect("valid");
    let keys: Vec<_> = scenario.live_keys().iter().map(|key| key.name()).collect();
    let fields = ["delay", "loss", "jitter", "reorder", "duplicate", "corrupt"];
    let ways = ["link", "link.back"];
    let expect = ways.map(|way| fields.map(|field| format!("{way}.{field}"))).concat();
    assert_eq!(keys, expect);
    assert_eq!(scenario.check_black_out(), Ok(()));
}

#[test]
fn a_file_is_read_once() {
    let asked = RefCell::new(Vec::new());
    let read = &|path: &str| {
        asked.borrow_mut().push(path.to_owned());
        Ok(b"5\n".to_vec())
    };
    let settings = [("link.trace.down".to_owned(), "a.trace".to_owned())];
    let outside = Outside { customs: &[], read };
    assert!(Scenario::parse_from(PLAIN, "mine", &settings, &outside).is_ok());
    assert_eq!(*asked.borrow(), ["a.trace"]);
}

#[test]
fn files_that_are_no_traces() {
    let down = |path| [("link.trace.down", path)];
    refused_setting(
        &down("none.trace"),
        "--set link.trace.down=none.trace: cannot read none.trace: No such file or directory",
    );
    refused_setting(
        &down("bad.trace"),
        "--set link.trace.down=bad.trace: bad.trace: line 3: not a number: expected whole \
         milliseconds from the start",
    );
    refused_setting(
        &down("back.trace"),
        "--set link.trace.down=back.trace: back.trace: line 2: before the line above it: times \
         must not go back",
    );
    refused_setting(
        &down("empty.trace"),
        "--set link.trace.down=empty.trace: empty.trace: takes no time: its last line must be \
         above 0, in milliseconds",
    );
    refused(
        "[link]\n\ntrace.up = \"none.trace\"\nrate = \"1 Mbit/s\"",
        ":3: link.trace.up = \"none.trace\": cannot read runs/none.trace: No such file or \
         directory",
    );
    let parsed = Scenario::parse("[link]\ntrace.down = \"good.trace\"", "mine", &[]);
    let line = "mine:2: link.trace.down = \"good.trace\": cannot read good.trace: files cannot be \
                read here";
    assert_eq!(parsed.expect_err("no reader").to_string(), line);
}

#[test]
fn lists_that_are_none() {
    let packets = "expected a list of whole numbers from 0, as in [14, 28]";
    for text in ["[1, -2]", "[1.5]", "1;2", "[[1]]", "many", "[{}]"] {
        let line = format!("--set link.drop_arrivals={text}: {packets}");
        refused_setting(&[("link.drop_arrivals", text)], &line);
    }
    refused(
        &format!("{PLAIN}drop_arrivals = \"first\""),
        &format!(":3: link.drop_arrivals = \"first\": {packets}"),
    );
    let spans = "expected a list of times from and to, in order, as in [[\"5 s\", \"20 s\"]]";
    for text in ["5 s", "['5 s', '20 s']", "[['5 s']]", "[['5 s', '20']]"] {
        let line = format!("--set link.outages={text}: {spans}");
        refused_setting(&[("link.outages", text)], &line);
    }
    refused_setting(
        &[("link.outages", "[['5 s', '5 s']]")],
        "--set link.outages=[['5 s', '5 s']]: a span must end after it begins",
    );
    refused(
        &format!("{PLAIN}outages = [[\"1 s\", \"3 s\"], [\"2 s\", \"4 s\"]]"),
        ":3: link.outages = a list: a span must not begin before the one before it ends",
    );
}

#[test]
fn schedules_that_are_none() {
    refused(
        &format!("{PLAIN}schedule = [{{rate = \"1 kbit/s\"}}]"),
        ":3: link.schedule[0] = a table: at is missing, as in at = \"20 s\"",
    );
    refused(
        &format!("{PLAIN}schedule = [{{at = \"2 s\"}}, {{at = \"1 s\"}}]"),
        ":3: link.schedule[1].at = \"1 s\": must not come before the one before it, at 2 s: the \
         list is in order of time",
    );
    refused(
        &format!("{PLAIN}schedule = [{{at = \"2 s\", rate = \"fast\"}}]"),
        ":3: link.schedule[0].rate = \"fast\": not a rate: expected a number and a unit (bit/s, \
         kbit/s, Mbit/s or Gbit/s), or unlimited, or as before",
    );
    let error = parse(&format!("{PLAIN}schedule = [{{at = \"2 s\", rat = 1}}]"), &[]);
    let line = error.expect_err("unknown key").to_string();
    assert!(line.starts_with("runs/mine.toml:3: link.schedule[0].rat: unknown key"), "{line}");
    let wire = "[[wired]]\nname = \"a\"\nbetween = [\"b\", \"c\"]\n";
    refused(
        &format!("{wire}rate = \"1 Mbit/s\"\nschedule = [{{rate = \"2 Mbit/s\"}}]"),
        ":5: wired.a.schedule[0] = a table: at is missing, as in at = \"20 s\"",
    );
    refused(
        &format!("{wire}schedule = [{{at = \"2 s\", rate = \"2 Mbit/s\"}}]"),
        ":4: wired.a.schedule: does nothing while wired.a.rate is unlimited",
    );
    let late = format!("{wire}rate = \"1 Mbit/s\"\nschedule = [{{at = \"2 s\", delay = \"1 s\"}}]");
    let line = parse(&late, &[]).expect_err("unknown key").to_string();
    assert!(line.starts_with("runs/mine.toml:5: wired.a.schedule[0].delay: unknown key"), "{line}");
    refused(
        &format!("{PLAIN}schedule = [3]"),
        ":3: link.schedule[0] = 3: expected a table, [link.schedule[0]]",
    );
}

#[test]
fn what_no_queue_can_aim_at() {
    let target = [("queue.kind", "dualpi2"), ("queue.dualpi2.target", "0.2 s")];
    refused_setting(
        &[&target[..], &[("queue.dualpi2.rtt_max", "0.1 s")]].concat(),
        "--set queue.dualpi2.target=0.2 s: queue.dualpi2.target must not be above \
         queue.dualpi2.rtt_max",
    );
    for kind in ["pie", "dualpi2"] {
        let or_derived = if kind == "dualpi2" { ", or by rtt_max" } else { "" };
        for value in ["0 s", "1 h"] {
            refused_setting(
                &[("queue.kind", kind), (&*format!("queue.{kind}.target"), value)],
                &format!(
                    "--set queue.{kind}.target={value}: must be a duration from 1 us to 1 \
                     min{or_derived}"
                ),
            );
        }
    }
}

#[test]
fn what_a_discipline_cannot_be_given() {
    refused_setting(
        &[("queue.kind", "fq-codel"), ("queue.fq_codel.flows", "0")],
        "--set queue.fq_codel.flows=0: must be a whole number from 1 to 65536",
    );
    refused_setting(
        &[("queue.kind", "fq-codel"), ("queue.fq_codel.interval", "0 s")],
        "--set queue.fq_codel.interval=0 s: must be above zero",
    );
    for table in ["codel", "fq_codel"] {
        let kind = table.replace('_', "-");
        refused_setting(
            &[("queue.kind", &*kind), (&*format!("queue.{table}.target"), "2 h")],
            &format!(
                "--set queue.{table}.target=2 h: queue.{table}.target, 2 h, must not be above \
                 queue.{table}.interval, 100 ms"
            ),
        );
    }
    refused_setting(
        &[("queue.kind", "pie"), ("queue.pie.update", "0 s")],
        "--set queue.pie.update=0 s: must be a duration from 1 ms",
    );
    refused_setting(
        &[("queue.kind", "pie"), ("queue.pie.ecn_threshold", "101 %")],
        "--set queue.pie.ecn_threshold=101 %: must be a probability from 0 % to 100 %, as in 5 % \
         or 0.05",
    );
    let rtts = [("queue.dualpi2.rtt_max", "9 ms"), ("queue.dualpi2.rtt_typical", "10 ms")];
    refused_setting(
        &[&[("queue.kind", "dualpi2")], &rtts[..]].concat(),
        "--set queue.dualpi2.rtt_typical=10 ms: queue.dualpi2.rtt_typical must not be above \
         queue.dualpi2.rtt_max",
    );
    let cake =
        |key, value, line: &str| refused_setting(&[("queue.kind", "cake"), (key, value)], line);
    cake(
        "queue.cake.overhead",
        "257 B",
        "--set queue.cake.overhead=257 B: must be a size from 0 B to 256 B",
    );
    cake("queue.cake.mpu", "1 kB", "--set queue.cake.mpu=1 kB: must be a size from 0 B to 256 B");
    cake("queue.cake.framing", "adsl", "--set queue.cake.framing=adsl: must be noatm, atm or ptm");
    cake("queue.cake.rtt", "0 s", "--set queue.cake.rtt=0 s: must be a duration from 1 us");
    cake(
        "queue.cake.tins",
        "diffserv5",
        "--set queue.cake.tins=diffserv5: must be besteffort, precedence, diffserv3, diffserv4 or \
         diffserv8; did you mean diffserv3?",
    );
    cake(
        "queue.cake.isolation",
        "host",
        "--set queue.cake.isolation=host: must be flowblind, srchost, dsthost, hosts, flows, \
         dual-srchost, dual-dsthost or triple-isolate; did you mean hosts?",
    );
    refused(
        "[link]\nrate = \"1 Mbit/s\"\n[queue]\nkind = \"cake\"\necn = true",
        ":5: queue.ecn: does nothing without queue.kind or queue.back.kind = red, codel, \
         fq-codel or pie",
    );
    refused(
        "[link]\nrate = \"1 Mbit/s\"\n[queue.cake]\nrate = \"1 Mbit/s\"",
        ":4: queue.cake.rate: does nothing without queue.kind or queue.back.kind = cake",
    );
    refused(
        "[link]\nrate = \"1 Mbit/s\"\n[queue]\nkind = \"dualpi2\"\necn = true",
        ":5: queue.ecn: does nothing without queue.kind or queue.back.kind = red, codel, \
         fq-codel or pie",
    );
}

#[test]
fn keys_that_do_not_go_together() {
    refused(
        "[link]\nrate = \"1 Mbit/s\"\ntrace.down = \"good.trace\"",
        ":3: link.trace.down: give link.rate or link.trace.down, not both",
    );
    refused_setting(
        &[("link.trace.up", "good.trace"), ("link.back.rate", "1 Mbit/s")],
        "--set link.trace.up=good.trace: give link.back.rate or link.trace.up, not both",
    );
    refused(
        "[link]\ntrace.down = \"good.trace\"\nschedule = [{at = \"1 s\", rate = \"1 kbit/s\"}]",
        ":3: link.schedule: give a rate in link.schedule or link.trace.down, not both",
    );
    refused(
        "[link]\nrate = \"1 Mbit/s\"\n[queue]\necn = true",
        ":4: queue.ecn: does nothing without queue.kind or queue.back.kind = red, codel, \
         fq-codel or pie",
    );
    refused_setting(
        &[("queue.back.kind", "red"), ("queue.red.min_threshold", "15")],
        "--set queue.red.min_threshold=15: queue.red.min_threshold must be below \
         queue.red.max_threshold",
    );
    refused(
        "[link]\nrate = \"1 Mbit/s\"\n[queue.fair]\nquantum = 3000",
        ":4: queue.fair.quantum: does nothing without queue.kind or queue.back.kind = fair",
    );
    let above = ("queue.red.min_threshold", "15");
    for kind in ["droptail", "codel"] {
        assert!(parse(PLAIN, &[("queue.kind", kind), above]).is_ok(), "RED's, which is not used");
    }
    refused(
        "[link]\nrate = \"1 Mbit/s\"\n[queue]\nkind = \"dualpi2\"\ndualpi2.time_shift = \"9 ms\"",
        ":5: queue.dualpi2.time_shift: does nothing without queue.dualpi2.scheduler = ts-fifo",
    );
    refused(
        "[[wired]]\nname = \"a\"\nbetween = [\"b\", \"c\"]\n[queue]\npackets = 9",
        ":5: queue.packets: does nothing without [link], [radio] or [mobile_ip]",
    );
    let red = format!("{PLAIN}[queue]\nkind = \"red\"\nred.min_threshold = 4");
    assert!(parse(&red, &[("queue.kind", "codel")]).is_ok(), "a setting of the kind wins");
    refused(
        "[radio]\n[queue]\nkind = \"red\"",
        ":3: queue.kind: the queue ahead of UMTS is droptail",
    );
    refused(
        "[radio]\n[queue.back]\nkind = \"codel\"",
        ":3: queue.back.kind: the queue ahead of UMTS is droptail",
    );
    refused_setting(
        &[("queue.back.packets", "some")],
        "--set queue.back.packets=some: must be a whole number from 1 to 1000000000, or unlimited, \
         or as queue.packets",
    );
    refused_setting(
        &[("link.back.dealy", "3 ms")],
        "--set link.back.dealy=3 ms: unknown key; did you mean link.back.delay?",
    );
    refused_setting(
        &[("link.loss", "101 %")],
        "--set link.loss=101 %: must be a probability from 0 % to 100 %, as in 5 % or 0.05",
    );
}

/// What is shown of a link reads the same again.
#[test]
fn a_link_is_its_values() {
    let source = format!(
        "{PLAIN}drop_arrivals = [3, 4]\noutages = [[\"1 s\", \"3 s\"], [\"3 s\", \"4 min\"]]\n\
         schedule = [{{at = \"0 s\"}}, {{at = \"20 s\", rate = \"unlimited\", loss = 0.5}}]\n\
         trace.up = \"good.trace\"\nloss = \"1 %\"\ngilbert_elliott.p = \"1 %\"\n\
         [queue]\nkind = \"codel\"\necn = true\ncodel.target = \"1 ms\"",
    );
    let scenario = parse(&source, &[]).expect("valid");
    let values: Vec<_> = scenario.values().into_iter().map(|key| (key.name, key.value)).collect();
    let settings: Vec<_> =
        values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let again = parse(PLAIN, &settings).expect("its own values");
    assert_eq!(Scenario { idle: Vec::new(), ..again }, scenario);
}

proptest! {
    /// Any value of any key of a link or queue is refused in one line, or builds and runs.
    #[test]
    fn any_value_is_refused_or_runs(
        settings in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 1..4),
    ) {
        let keys: Vec<_> = scenario::keys()
            .iter()
            .map(|key| key.name.clone())
            .filter(|name| name.starts_with("link.") || name.starts_with("queue."))
            .collect();
        let values = [
            "0", "1", "2", "3,4", "[1, 2]", "0.5", "5 %", "100 %", "off", "true", "unlimited",
            "1 ms", "10 ms", "3 s", "1 B", "3 kB", "8 kbit/s", "10 Gbit/s", "red", "codel",
            "good.trace", "bad.trace", "good.csv", "shipped:lte-drive-up",
            "[['0 s', '1 s']]", "[['1 s', '1.5 s'], ['3 s', '4 s']]",
            "[{at = '1 s', rate = '10 kbit/s', loss = '10 %'}]", "[{at = '0 s', delay = '1 s'}]",
        ];
        let settings: Vec<_> = settings
            .iter()
            .map(|[key, value]| (keys[key.index(keys.len())].as_str(), *value.get(&values)))
            .collect();
        match parse(PLAIN, &settings) {
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
            Ok(scenario) => {
                let mut world = build(&scenario).world;
                let mut events = 0;
                while events < 100_000 && world.step(at(5), &mut ()).is_some() {
                    events += 1;
                }
                prop_assert_eq!(world.unroutable(), 0);
            }
        }
    }
}

#[test]
fn what_a_wire_does_to_packets() {
    let millis = Duration::from_millis;
    let chance = |value| Probability::new(value).expect("in range");
    let scenario = set(&[
        ("link.delay", "40 ms"),
        ("link.jitter", "5 ms"),
        ("link.jitter_distribution", "normal"),
        ("link.jitter_order", "free"),
        ("link.reorder", "1 %"),
        ("link.reorder_distance", "7"),
        ("link.reorder_hold", "20 ms"),
        ("link.duplicate", "2 %"),
        ("link.corrupt", "3 %"),
        ("link.back.jitter", "40 ms"),
        ("link.schedule", "[{at = '9 s', jitter = '0 s', reorder = 0, duplicate = '4 %'}]"),
    ]);
    let link = scenario.link.as_ref().expect("there");
    let expect = disorder::Config {
        jitter: jitter::Config {
            extent: Schedule::new(millis(5), vec![(at(9), Duration::ZERO)]),
            distribution: Distribution::Normal,
            order: Order::Free,
        },
        reorder: Schedule::new(chance(0.01), vec![(at(9), Probability::NEVER)]),
        distance: 7,
        hold: millis(20),
        duplicate: Schedule::new(chance(0.02), vec![(at(9), chance(0.04))]),
        corrupt: chance(0.03).into(),
    };
    assert_eq!(link.down(&scenario.queue).disorder, expect);
    let back = link.up(&scenario.queue).disorder;
    assert_eq!(back.jitter, jitter::Config { extent: millis(40).into(), ..Default::default() });
    assert_eq!(back.corrupt, Probability::NEVER.into());
    assert!(set(&[("link.jitter_order", "free")]).link.expect("there").disorder.config().is_none());
}

/// A delay cannot fall below zero: jitter that would let it is refused, where it says so.
#[test]
fn jitter_needs_a_delay() {
    let check = |settings: &[(&str, &str)], blamed: &str, message: &str| {
        let value = settings.iter().rfind(|(key, _)| *key == blamed).map_or("", |(_, value)| value);
        let at = format!("--set {blamed}={value}: ");
        refused_setting(settings, &format!("{at}{message}, or delays fall below zero"));
    };
    let delay = ("link.delay", "40 ms");
    check(
        &[("link.jitter", "1 ms")],
        "link.jitter",
        "link.jitter must not be above link.delay, 0 s here",
    );
    check(
        &[delay, ("link.jitter", "41 ms")],
        "link.jitter",
        "link.jitter must not be above link.delay, 40 ms here",
    );
    check(
        &[delay, ("link.jitter", "11 ms"), ("link.jitter_distribution", "normal")],
        "link.jitter",
        "link.jitter must not be above a quarter of link.delay, 10 ms here",
    );
    check(
        &[delay, ("link.back.delay", "5 ms"), ("link.back.jitter", "6 ms")],
        "link.back.jitter",
        "link.back.jitter must not be above link.back.delay, 5 ms here",
    );
    check(
        &[delay, ("link.jitter", "9 ms"), ("link.schedule", "[{at = '2 s', delay = '8 ms'}]")],
        "link.jitter",
        "link.jitter must not be above link.delay, 8 ms here",
    );
    check(
        &[("flow.group.far.delay", "5 ms"), ("flow.group.far.jitter", "6 ms")],
        "flow.group.far.jitter",
        "flow.group.far.jitter must not be above flow.group.far.delay, 5 ms here",
    );
    check(
        &[("flow.delay", "5 ms"), ("flow.return_delay", "2 ms"), ("flow.jitter", "3 ms")],
        "flow.jitter",
        "flow.jitter must not be above flow.return_delay, 2 ms here",
    );
    check(
        &[("flow.delay", "5 ms"), ("flow.return_jitter", "6 ms")],
        "flow.return_jitter",
        "flow.return_jitter must not be above flow.delay, 5 ms here",
    );
    let wired = "[[wired]]\nname = \"Gi\"\nbetween = [\"a\", \"b\"]\njitter = \"1 ms\"\n";
    let error = parse(wired, &[]).expect_err("it has no delay").to_string();
    assert_eq!(
        error,
        "runs/mine.toml:4: wired.Gi.jitter: wired.Gi.jitter must not be above \
         wired.Gi.delay, 0 s here, or delays fall below zero"
    );
}

/// The group's own wire strays, in each direction as it says.
#[test]
fn the_wire_of_a_group_strays() {
    let network = build(&set(&[
        ("flow.group.far.delay", "5 ms"),
        ("flow.group.far.return_delay", "20 ms"),
        ("flow.group.far.jitter", "2 ms"),
        ("flow.group.far.return_jitter", "20 ms"),
        ("flow.group.near.delay", "5 ms"),
    ]));
    let strays = |name: &str| {
        let mut machines = network.world.machines();
        let hop = machines.find(|machine| machine.1 == name).and_then(|machine| machine.2.hop());
        matches!(hop, Some(world::Hop::Link { .. }))
    };
    assert!(strays("sender-far/out") && strays("sender-far/in"));
    assert!(!strays("sender-near/out") && !strays("sender-near/in"));
}
