//! What holds whatever comes, and whatever the radio does.

use base::{Direction, Time};
use observe::{BlockFact, BlockKind, Context, Observe};
use proptest::prelude::*;
use radio::gprs::{CodingScheme, Errors, GapKind, Gprs, GprsBearer, GprsConfig, Quality, State};

use super::support::{Exit, Fate, Packet, Run, at, chance, config, gap, ms};

const BOTH: [Direction; 2] = Direction::BOTH;

/// A carrier with which `rate` of the blocks of `scheme` err.
fn by_carrier((rate, scheme): (f64, CodingScheme)) -> Errors {
    let quality = Quality::CarrierToInterference(scheme.ci_of(rate));
    Errors::States(vec![State { quality, mean: None }])
}

/// Bearers of all kinds.
fn configs() -> impl Strategy<Value = GprsConfig> {
    let errors = prop_oneof![
        (0.0..0.6).prop_map(|rate| Errors::Constant(chance(rate))),
        (0.01..0.6, prop::sample::select(<CodingScheme as settings::Words>::ALL.to_vec()))
            .prop_map(by_carrier),
        Just(Errors::States(vec![
            State { quality: Quality::ErrorRate(chance(0.02)), mean: Some(ms(3000)) },
            State { quality: Quality::ErrorRate(chance(0.5)), mean: Some(ms(700)) },
        ])),
    ];
    let kinds = prop_oneof![
        Just(GapKind::Outage),
        Just(GapKind::Reset),
        (0.0..1.0).prop_map(|forward| GapKind::Reselection(chance(forward))),
    ];
    let gaps = prop::collection::vec((500_u64..20_000, 100_u64..15_000, kinds), 0..4);
    let releases = (prop::sample::select(vec![0, 300, 2000]), 0_u64..3);
    let schemes = prop::sample::select(<CodingScheme as settings::Words>::ALL.to_vec());
    (1_u32..=8, 1_u32..=4, schemes, errors, gaps, releases)
        .prop_filter("its blocks get through", |(_, _, scheme, errors, ..)| match errors {
            Errors::Constant(_) => true,
            Errors::States(states) => states.iter().all(|state| match state.quality {
                Quality::ErrorRate(_) => true,
                Quality::CarrierToInterference(ci) => scheme.block_error_rate(ci).value() < 0.8,
            }),
        })
        .prop_map(|(down, up, scheme, errors, gaps, (keep, coupling))| {
            let mut config = config(down);
            config.slots[1] = up;
            config.errors = errors;
            config.queues[0].limit.bytes = Some(20_000);
            config.gprs.paging = (coupling != 1).then_some(up + 1);
            config.gprs.non_drx = ms(keep);
            let Gprs { coding_scheme, initial_scheme, lifetime, tbf, .. } = &mut config.gprs;
            (*coding_scheme, *initial_scheme) = ((down % 2 == 1).then_some(scheme), scheme);
            (tbf.delayed_release, tbf.extended_uplink) = (ms(keep), ms(keep / 2));
            *lifetime = (up == 2).then(|| ms(8000));
            tbf.coupling = (coupling != 0).then(|| ms(500));
            let mut end = 0;
            for (pause, lasts, kind) in gaps {
                config.gaps.push(gap(end + pause, end + pause + lasts, kind));
                end += pause + lasts;
            }
            config
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every packet comes out once, those delivered in the order in which they came; counts agree
    /// at every moment, and in the end nothing is held and nothing is due.
    #[test]
    fn every_packet_comes_out_once_and_in_order(
        config in configs(),
        packets in prop::collection::vec((0_u64..1500, 20_u32..1600, any::<bool>()), 1..120),
        seed in 0_u64..4,
    ) {
        let mut run = Run::new(&config, seed);
        let mut now = Time::ZERO;
        let mut sent = [Vec::new(), Vec::new()];
        for (pause, bytes, is_up) in &packets {
            now += ms(*pause);
            let direction = BOTH[usize::from(*is_up)];
            sent[usize::from(*is_up)].push(run.send(now, direction, *bytes));
            for direction in BOTH {
                let counters = run.bearer.counters(direction);
                let out = counters.dropped + counters.managed + counters.delivered
                    + counters.discarded;
                let held = run.bearer.held(direction).count() as u64;
                prop_assert_eq!(counters.sdus, out + held, "{:?}", direction);
                let heard = counters.blocks_received + counters.blocks_in_error;
                prop_assert_eq!(counters.blocks_sent, heard);
            }
        }
        run.until(now + ms(3_600_000), &mut ());
        for (direction, sent) in BOTH.into_iter().zip(sent) {
            let exits = run.exits.iter().filter(|exit| exit.direction == direction);
            let (delivered, lost): (Vec<&Exit>, Vec<&Exit>) =
                exits.partition(|exit| exit.fate == Fate::Delivered);
            prop_assert_eq!(delivered.len() + lost.len(), sent.len());
            let numbers: Vec<_> = delivered.iter().map(|exit| exit.number).collect();
            prop_assert!(numbers.is_sorted_by(|one, next| one < next), "{:?}", numbers);
            let mut all: Vec<_> = numbers;
            all.extend(lost.iter().map(|exit| exit.number));
            all.sort_unstable();
            prop_assert_eq!(all, sent);
            prop_assert_eq!(run.bearer.held(direction).count(), 0);
        }
        prop_assert_eq!(run.bearer.poll_timeout(), None, "an idle bearer sleeps");
    }
}

/// Which blocks were in error, by period and direction.
#[derive(Default)]
struct Blocks(Vec<(Time, BlockFact)>);

impl Observe for Blocks {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.0.push((now, fact));
    }
}

/// The first data block of a period meets the same radio under other traffic.
#[test]
fn blocks_err_by_time_and_not_by_traffic() {
    let errors = |packets: u64| {
        let config = config(1);
        let mut bearer = GprsBearer::new(0, &config, 1, "Um");
        let mut blocks = Blocks::default();
        for number in 0..packets {
            let packet = Packet { number: number as u32, bytes: 500 + 100 * (number % 3) as u32 };
            bearer
                .handle_input(
                    &mut Context { now: at(1), observe: &mut blocks },
                    Direction::Downlink,
                    packet,
                )
                .expect("there is room");
        }
        while let Some(now) = bearer.poll_timeout().filter(|now| *now < at(60_000)) {
            bearer.handle_timeout(&mut Context { now, observe: &mut blocks });
            while bearer.poll_output().is_some() {}
        }
        blocks.0.retain(|(_, fact)| fact.direction == Direction::Downlink);
        blocks.0.into_iter().map(|(now, fact)| (now, fact.error)).collect::<Vec<_>>()
    };
    let (few, many) = (errors(20), errors(60));
    assert!(few.iter().filter(|(_, error)| *error).count() > 5);
    for (now, error) in &few {
        let other = many.iter().find(|(time, _)| time == now);
        assert_eq!(other.map(|(_, error)| error), Some(error), "at {now:?}");
    }
}

/// A block that is sent for the second time is told apart, and polls come as often as they should.
#[test]
fn block_facts_and_counters_agree() {
    let mut run = Run::new(&config(3), 3);
    let mut blocks = Blocks::default();
    for _ in 0..60 {
        run.send(at(0), Direction::Downlink, 1388);
    }
    run.until(at(100_000), &mut blocks);
    let down = |fact: &&(Time, BlockFact)| fact.1.direction == Direction::Downlink;
    let of =
        |kind| blocks.0.iter().filter(down).filter(|(_, fact)| fact.kind == kind).count() as u64;
    let counters = run.bearer.counters(Direction::Downlink);
    let (data, again) = (of(BlockKind::Data), of(BlockKind::Retransmission));
    assert_eq!(counters.blocks_sent, data + again + of(BlockKind::Control));
    assert_eq!(counters.retransmitted_blocks, again);
    // 60 packets of 1398 bytes and a length indicator each, 30 bytes a block.
    assert_eq!(data, (60_u64 * 1399).div_ceil(30));
    let polls = blocks.0.iter().filter(down).filter(|(_, fact)| fact.poll).count() as u64;
    assert!(polls >= (data + again) / 25 && polls <= (data + again) / 12, "{polls} polls");
}

/// An idle bearer has no events, and a single packet a few.
#[test]
fn nothing_costs_while_idle() {
    let mut run = Run::new(&config(3), 1);
    assert_eq!(run.bearer.poll_timeout(), None);
    run.send(at(1000), Direction::Downlink, 84);
    run.until(at(3_600_000), &mut ());
    assert!(run.events <= 8, "{} events", run.events);
    assert_eq!(run.bearer.poll_timeout(), None);
}

/// Coverage and coding are told when they change, and only then.
#[test]
fn reports_follow_coverage() {
    let mut config = config(3);
    config.gaps = vec![gap(5_000, 9_000, GapKind::Outage)];
    let mut bearer = GprsBearer::<Packet>::new(0, &config, 1, "Um");
    let mut reports = Vec::new();
    while let Some(now) = bearer.poll_timeout() {
        bearer.handle_timeout(&mut Context { now, observe: &mut () });
        reports
            .extend(bearer.poll_report().map(|report| (now, report.rate.map(base::Rate::as_bps))));
    }
    // 3 slots of 12 kbit/s, of which 97 % arrive.
    assert_eq!(reports, [(at(5000), None), (at(9000), Some(34_920))]);
}

/// In integers: what 100 packets downlink, each answered, cost and when the last is done.
#[test]
fn golden_transfer() {
    let mut run = Run::new(&config(3), 7);
    for _ in 0..10 {
        run.send(at(1000), Direction::Downlink, 1388);
    }
    for seen in 1..=190 {
        let now = run.until_exits(seen);
        match run.exits[seen - 1].direction {
            Direction::Downlink => run.send(now, Direction::Uplink, 40),
            Direction::Uplink => run.send(now, Direction::Downlink, 1388),
        };
    }
    let end = run.exits[189].time;
    let [down, up] = BOTH.map(|direction| run.bearer.counters(direction));
    let of = |c: radio::Counters| {
        [c.blocks_sent, c.blocks_in_error, c.retransmitted_blocks, c.status_pdus]
    };
    assert_eq!(
        (end.as_nanos() / 1_000_000, of(down), of(up)),
        (36_440, [4765, 155, 152, 68], [384, 10, 7, 190])
    );
}
