//! What holds whatever comes, and whatever the radio does.

use std::collections::BTreeMap;

use base::{Direction, Duration, Probability, Time};
use proptest::prelude::*;
use radio::channel::{Blockage, Fading};
use radio::nr::{NrKeys, Pattern, Spacing, Tdd};
use radio::rlc36::RlcMode;
use radio::scheduled::{Handover, drx, rrc};

use crate::scheduled::several::{bearers, handover, order_of};
use crate::scheduled::support::{Fate, Run, at, context, ms};
use crate::support::cell::assert_every_block_ends;
use crate::support::mobiles;

const BOTH: [Direction; 2] = Direction::BOTH;
const PATTERNS: [&str; 6] = ["DDDSU", "DSUUU", "UD", "DDDDDDDSUU", "SSD", "UUUDDSDD"];

fn duplex() -> impl Strategy<Value = Option<Tdd>> {
    let pattern = prop::sample::select(&PATTERNS[..]);
    prop::option::weighted(0.7, (pattern, 3_u32..12, 2_u32..4)).prop_map(|tdd| {
        tdd.map(|(letters, special_downlink, special_uplink)| {
            let pattern = Pattern::named(letters).expect("it is a pattern");
            // Slots S of this one have the only uplink, which has to carry status reports.
            let least = if letters == "SSD" { 4 } else { 2 };
            let special_uplink = special_uplink.max(least);
            Tdd { pattern, special_downlink: special_downlink.min(14 - least), special_uplink }
        })
    })
}

fn keys() -> impl Strategy<Value = NrKeys> {
    let power = (-5.0_f64..30.0, prop::option::of(0.0_f64..20.0));
    let radio = (prop::option::of(0.0_f64..0.7), power, any::<[bool; 2]>());
    let states = (any::<[bool; 2]>(), prop::option::of(handover()));
    let outages = prop::collection::vec((1_u64..3000, 1_u64..800), 0..3);
    let modes = prop_oneof![
        Just((RlcMode::Am, None)),
        Just((RlcMode::Am, Some(ms(50)))),
        Just((RlcMode::Um, Some(ms(50))))
    ];
    let slots = (duplex(), prop::sample::select(&Spacing::ALL[..]), 11_u16..100, 1_u32..17);
    (radio, states, outages, (modes, bearers()), slots, (1_u32..4, 0_u32..4)).prop_map(
        |(
            (bler, (snr, headroom), [fades, blocks]),
            ([drx, rrc], handover),
            outages,
            ((mode, wait), bearer),
            (tdd, spacing, width, processes),
            (ues, repeats),
        )| {
            let mut keys = NrKeys { mobiles: mobiles(ues), ..NrKeys::default() };
            keys.downlink.reception.bler = bler.and_then(Probability::new);
            if bler > Some(0.3) {
                // With the usual four, RLC would begin anew until a packet gets through by chance.
                keys.nr.rlc.max_retransmissions = 32;
            }
            (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (snr, snr + 3.0);
            keys.uplink.power.headroom = headroom;
            keys.mobiles.fading = fades.then(Fading::default);
            keys.blockage = blocks.then(|| Blockage {
                clear: ms(700),
                blocked: ms(200),
                transition: ms(50),
                ..Blockage::default()
            });
            keys.station.bearer = bearer;
            if wait.is_none() {
                // What is lost would be waited for without end.
                keys.station.bearer.iter_mut().for_each(|bearer| bearer.mode = RlcMode::Am);
            }
            keys.station.drx = drx.then(|| drx::Keys { on: ms(10), ..drx::Keys::default() });
            keys.station.rrc = rrc.then(|| rrc::Keys { tail: ms(700), ..rrc::Keys::default() });
            keys.handover = handover;
            let mut end = 0;
            for (pause, lasts) in outages {
                keys.mobiles.outages.push([ms(end + pause), ms(end + pause + lasts)]);
                end += pause + lasts;
            }
            (keys.nr.tdd, keys.nr.spacing, keys.nr.resource_blocks) = (tdd, spacing, width);
            (keys.nr.rlc.mode, keys.nr.pdcp.reordering) = (mode, wait);
            (keys.harq.repeats, keys.harq.processes) = (repeats, processes);
            keys
        },
    )
}

/// A pause, a mobile, a direction and a size.
type Load = (u64, u32, bool, u32);

fn loads() -> impl Strategy<Value = Vec<Load>> {
    let pauses = prop_oneof![4 => 0_u64..3, 2 => 0_u64..100, 1 => 0_u64..3000];
    prop::collection::vec((pauses, 0_u32..4, any::<bool>(), 20_u32..1600), 1..150)
}

/// Runs `loads` over a cell until nothing more happens.
fn run_of(keys: &NrKeys, loads: &[Load], seed: u64) -> (Run, Vec<u32>) {
    let config = keys.config(&context());
    let mut run = Run::new(&config, seed);
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    for (pause, ue, is_up, bytes) in loads {
        now += Duration::from_nanos(pause * 700_001);
        let ue = ue % config.ues.len() as u32;
        sent.push(run.send(now, ue, BOTH[usize::from(*is_up)], *bytes));
    }
    run.until(now + Duration::from_secs(100));
    (run, sent)
}

/// The slot of a time.
fn slot_of(keys: &NrKeys, time: Time) -> u64 {
    time.as_nanos() / keys.nr.spacing.slot().as_nanos()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Every packet comes out once. In acknowledged mode all arrive, in order, but for those that a
    /// handover without forwarding loses, or that PDCP gives up. Counts agree. In the end nothing
    /// is due.
    #[test]
    fn every_packet_comes_out_once(keys in keys(), loads in loads(), seed in 0_u64..4) {
        let (run, sent) = run_of(&keys, &loads, seed);
        let mut numbers: Vec<_> = run.exits.iter().map(|exit| exit.packet.number).collect();
        numbers.sort_unstable();
        prop_assert_eq!(&numbers, &sent);
        let mut last = BTreeMap::new();
        for exit in run.exits.iter().filter(|exit| exit.fate == Fate::Delivered) {
            let number = exit.packet.number;
            let before = last.insert(order_of(&keys.station.bearer, exit), number);
            prop_assert!(before < Some(number), "{number} after {before:?}");
        }
        let may_lose = keys.nr.pdcp.reordering.is_some()
            || keys.handover.as_ref().is_some_and(|handover| !handover.forwarding);
        let lost = run.exits.iter().filter(|exit| exit.fate != Fate::Delivered).count();
        prop_assert!(may_lose || lost == 0, "{lost} lost");
        assert_every_block_ends(&BOTH.map(|direction| run.network.total(direction)));
        for direction in BOTH {
            let counters = run.network.total(direction);
            prop_assert_eq!(counters.sdus, counters.delivered + counters.discarded);
            prop_assert_eq!(run.network.held(direction).count(), 0);
        }
        prop_assert!(run.network.poll_timeout().is_none(), "{:?}", run.network.poll_timeout());
    }

    /// A block is sent in a slot of its direction, and nothing in one of the other.
    #[test]
    fn nothing_is_sent_in_a_slot_of_the_other_direction(keys in keys(), loads in loads()) {
        let (run, _) = run_of(&keys, &loads, 1);
        let Some(tdd) = &keys.nr.tdd else { return Ok(()) };
        let letters = tdd.pattern.to_string();
        for (time, fact) in &run.facts.blocks.0 {
            prop_assert_eq!(time.as_nanos() % keys.nr.spacing.slot().as_nanos(), 0);
            let slot = slot_of(&keys, *time) as usize % letters.len();
            let own = if fact.direction == Direction::Downlink { "DS" } else { "US" };
            let is_own = own.contains(&letters[slot..=slot]);
            prop_assert!(is_own, "{:?} in {slot} of {letters}", fact.direction);
        }
    }

    /// What comes out does not depend on when the cell is looked at, nor on who watches.
    #[test]
    fn the_same_comes_out_however_it_is_run(keys in keys(), loads in loads(), step in 1_u64..50) {
        let (run, _) = run_of(&keys, &loads, 1);
        let config = keys.config(&context());
        let mut other = Run::new(&config, 1);
        let mut now = Time::ZERO;
        for (pause, ue, is_up, bytes) in &loads {
            let next = now + Duration::from_nanos(pause * 700_001);
            while now < next {
                now = (now + ms(step)).min(next);
                other.until(now);
            }
            other.send(now, ue % config.ues.len() as u32, BOTH[usize::from(*is_up)], *bytes);
        }
        other.until(now + Duration::from_secs(100));
        prop_assert_eq!(&run.exits, &other.exits);
        prop_assert_eq!(&run.facts.blocks.0, &other.facts.blocks.0);
    }

    /// No more blocks are on their way in a direction of a mobile than it has processes: before the
    /// first of them can have been answered no more are sent.
    #[test]
    fn harq_keeps_to_its_processes(keys in keys(), loads in loads(), processes in 1_u32..6) {
        // A handover forgets what was on its way, as a failure does.
        let mut keys = NrKeys { mobiles: mobiles(1), handover: None, ..keys };
        keys.harq.processes = processes;
        keys.nr.rlc.max_retransmissions = 255;
        let (run, _) = run_of(&keys, &loads, 1);
        for direction in BOTH {
            let blocks = run.facts.blocks.0.iter().filter(|(_, fact)| fact.direction == direction);
            let slots: Vec<_> = blocks.map(|(time, _)| slot_of(&keys, *time)).collect();
            // Feedback comes two slots later at the soonest; decoding takes one.
            let [down, up] = [keys.harq.feedback, keys.harq.decoding];
            let least = u64::from(direction.of(down, up)) + 1;
            for window in slots.windows(processes as usize + 1) {
                let span = window[processes as usize] - window[0];
                prop_assert!(span >= least, "{direction:?} {window:?}");
            }
        }
    }
}

/// In acknowledged mode with forwarding, a thousand handovers lose nothing.
#[test]
fn a_thousand_handovers_lose_no_byte() {
    let handover =
        Handover { every: ms(197), gap: Some(ms(108)), forwarding: true, ..Handover::default() };
    let mut keys = NrKeys { handover: Some(handover), ..NrKeys::default() };
    keys.nr.tdd = Some(Tdd::default());
    keys.nr.resource_blocks = 51;
    keys.nr.pdcp.reordering = None;
    (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (5.0, 5.0);
    keys.mobiles.fading = Some(Fading::default());
    let mut run = Run::new(&keys.config(&context()), 1);
    let mut sent = [0_u64; 2];
    for millis in 0..198_000 {
        for direction in BOTH {
            if millis % 2 == direction as u64 {
                run.send(at(millis), 0, direction, 700);
                sent[direction as usize] += 700;
            }
        }
    }
    run.until(at(400_000));
    assert_eq!(BOTH.map(|direction| run.bytes(0, direction)), sent);
    assert!(run.network.total(Direction::Downlink).relocations >= 1000);
}

/// Without forwarding what waits is lost, and nothing else.
#[test]
fn a_handover_without_forwarding_loses_what_waits() {
    let handover =
        Handover { every: ms(500), gap: Some(ms(108)), forwarding: false, ..Handover::default() };
    let keys = NrKeys { handover: Some(handover), ..NrKeys::default() };
    let mut run = Run::new(&keys.config(&context()), 1);
    for micros in [100_000, 499_600, 700_000] {
        run.send(Time::from_nanos(micros * 1000), 0, Direction::Downlink, 1000);
    }
    run.until(at(3000));
    let fates: Vec<_> = run.exits.iter().map(|exit| exit.fate).collect();
    assert_eq!(fates, [Fate::Delivered, Fate::Discarded, Fate::Delivered]);
}

/// A thousand mobiles without traffic have nothing due, connected or not, in anyone's way or not.
#[test]
fn idle_mobiles_cost_nothing() {
    let mut keys =
        NrKeys { mobiles: mobiles(1000), handover: Some(Handover::default()), ..NrKeys::default() };
    (keys.mobiles.fading, keys.blockage) = (Some(Fading::default()), Some(Blockage::default()));
    keys.nr.tdd = Some(Tdd::default());
    for rrc in [None, Some(rrc::Keys::default())] {
        keys.station.rrc = rrc;
        let mut run = Run::new(&keys.config(&context()), 1);
        assert_eq!(run.network.poll_timeout(), None);
        run.send(at(100), 500, Direction::Uplink, 100);
        run.until(at(60_000));
        assert_eq!(run.network.poll_timeout(), None);
        assert_eq!(run.exits.len(), 1);
    }
}
