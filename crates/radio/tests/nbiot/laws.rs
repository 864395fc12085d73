//! What holds whatever comes, and whatever the radio does.

use observe::Context;
use std::collections::BTreeMap;

use base::{Direction, Duration, Probability, Time};
use proptest::prelude::*;
use radio::channel::Fading;
use radio::nbiot::{NbIotConfig, NbIotKeys, PowerState};
use radio::{EdrxKeys, Keys, PsmKeys};

use super::support::{DOWN, Exit, Run, UP, at, config, millis, ms};
use crate::support::cell::assert_every_block_ends;
use crate::support::mobiles;

const BOTH: [Direction; 2] = Direction::BOTH;

/// How long a run may take to come to an end.
const LONG: Duration = Duration::from_secs(20_000);

fn keys() -> impl Strategy<Value = NbIotKeys> {
    let radio = (prop::option::of(0.0_f64..0.5), 130.0_f64..166.0, any::<bool>());
    let states = (any::<[bool; 2]>(), 1_u64..30_000, 0_u32..4);
    let outages = prop::collection::vec((1_u64..30_000, 1_u64..8000), 0..3);
    (radio, states, outages, 1_u32..5, (0_u32..4, 1_u32..13)).prop_map(
        |((bler, loss, fades), ([edrx, psm], inactivity, others), outages, ues, more)| {
            let mut keys =
                NbIotKeys { mobiles: mobiles(ues), coupling_loss: loss, ..NbIotKeys::default() };
            keys.downlink.bler = bler.and_then(Probability::new);
            keys.uplink.bler = keys.downlink.bler;
            keys.mobiles.fading = fades.then(Fading::default);
            keys.edrx = edrx.then(EdrxKeys::default);
            keys.psm = psm.then(|| PsmKeys { active: ms(4000), update: ms(100_000) });
            keys.rrc.inactivity = ms(inactivity);
            keys.nprach.others = others;
            (keys.harq.repeats, keys.nprach.subcarriers) = more;
            if keys.harq.repeats == 0 && bler.is_some_and(|bler| bler > 0.15) {
                // Six messages in a row would take hours to arrive.
                keys.harq.repeats = 1;
            }
            if keys.nprach.subcarriers < 3 {
                // Others would take every preamble.
                keys.nprach.others = 0;
            }
            let mut end = 0;
            for (wait, lasts) in outages {
                keys.cut([ms(end + wait), ms(end + wait + lasts)]);
                end += wait + lasts;
            }
            keys
        },
    )
}

/// A pause, a mobile, a direction and a size.
type Loads = Vec<(u64, u32, bool, u32)>;

fn loads() -> impl Strategy<Value = Loads> {
    let pauses = prop_oneof![4 => 0_u64..30, 2 => 0_u64..3000, 1 => 0_u64..60_000];
    prop::collection::vec((pauses, 0_u32..5, any::<bool>(), 20_u32..700), 1..25)
}

/// Runs `loads` until `end` after the last of them.
fn run_of(config: &NbIotConfig, loads: &Loads, seed: u64) -> (Run, Vec<u32>, Time) {
    let mut run = Run::new(config, seed);
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    for (pause, ue, is_up, bytes) in loads {
        now += Duration::from_nanos(pause * 999_001);
        let ue = ue % config.ues.len() as u32;
        sent.push(run.send(now, ue, BOTH[usize::from(*is_up)], *bytes));
    }
    let end = now + LONG;
    run.until(end);
    (run, sent, end)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Every packet comes out once, whole and in order. Counts agree. In the end nothing is due but
    /// what wakes a mobile that sleeps.
    #[test]
    fn every_packet_comes_out_once(keys in keys(), loads in loads(), seed in 0_u64..4) {
        let (run, sent, end) = run_of(&config(&keys), &loads, seed);
        let mut numbers: Vec<_> = run.exits.iter().map(|exit| exit.packet.number).collect();
        numbers.sort_unstable();
        prop_assert_eq!(&numbers, &sent);
        let mut last = BTreeMap::new();
        for Exit { ue, direction, packet, is_whole, .. } in &run.exits {
            prop_assert!(is_whole, "{packet:?} is lost");
            let before = last.insert((*ue, *direction as u8), packet.number);
            prop_assert!(before < Some(packet.number), "{} after {:?}", packet.number, before);
        }
        // One in power saving mode may be about to say that it is there as the run ends.
        if run.cell.energy(end).all(|used| ["psm", "idle"].contains(&used.state().name)) {
            assert_every_block_ends(&BOTH.map(|direction| run.cell.total(direction)));
        }
        for direction in BOTH {
            let counters = run.cell.total(direction);
            prop_assert_eq!(counters.sdus, counters.delivered);
            prop_assert_eq!(run.cell.held(direction).count(), 0);
        }
        prop_assert!(keys.psm.is_some() || run.cell.poll_timeout().is_none());
    }

    /// A mobile never sends and receives at once, nor turns in no time; no two mobiles receive at
    /// once; and what its radio used is what it did.
    #[test]
    fn a_mobile_sends_or_receives(keys in keys(), loads in loads()) {
        let config = config(&keys);
        let (run, _, end) = run_of(&config, &loads, 1);
        let states = PowerState::ALL.iter().zip(config.power.states);
        let powers = states.filter_map(|(state, power)| Some((state.name(), power?)));
        let powers: BTreeMap<_, _> = powers.collect();
        let mut received = Vec::new();
        for (ue, used) in (0..).zip(run.cell.energy(end)) {
            let spans = run.spans(ue, end);
            for pair in spans.windows(2) {
                let is_turn = |span: &(Time, Time, &str)| ["receive", "transmit"].contains(&span.2);
                prop_assert!(!(is_turn(&pair[0]) && is_turn(&pair[1])), "{pair:?}");
            }
            for turn in spans.windows(3).filter(|three| {
                ["receive", "transmit"].contains(&three[0].2)
                    && ["receive", "transmit"].contains(&three[2].2)
                    && three[0].2 != three[2].2
            }) {
                let gap = turn[2].0.saturating_since(turn[0].1);
                let least = if turn[0].2 == "receive" { 8 } else { 3 };
                prop_assert!(gap >= ms(least), "{turn:?}");
            }
            received.extend(spans.into_iter().filter(|span| span.2 == "receive"));
            prop_assert_eq!(used.total(), run.energy(ue, end, &powers));
        }
        received.sort_by_key(|span| span.0);
        for pair in received.windows(2) {
            prop_assert!(pair[0].1 <= pair[1].0, "two receive: {pair:?}");
        }
    }

    /// What comes out does not depend on when the carrier is looked at, nor on who watches.
    #[test]
    fn the_same_comes_out_however_it_is_run(keys in keys(), loads in loads(), step in 1_u64..500) {
        let config = config(&keys);
        let (run, ..) = run_of(&config, &loads, 1);
        let mut other = Run::new(&config, 1);
        let mut now = Time::ZERO;
        for (pause, ue, is_up, bytes) in &loads {
            let next = now + Duration::from_nanos(pause * 999_001);
            while now < next {
                now = (now + ms(step)).min(next);
                other.cell.handle_timeout(&mut Context { now, observe: &mut other.facts });
                other.until(now);
            }
            other.send(now, ue % config.ues.len() as u32, BOTH[usize::from(*is_up)], *bytes);
        }
        other.until(now + LONG);
        prop_assert_eq!(&run.facts.blocks, &other.facts.blocks);
        prop_assert_eq!(&run.facts.states, &other.facts.states);
        prop_assert_eq!(run.exits.len(), other.exits.len());
    }

    /// A mobile that only the network has something for hears of it when it may: in its window, or
    /// when it says that it is there.
    #[test]
    fn a_mobile_that_sleeps_hears_nothing(
        starts in prop::collection::vec(1_u64..300_000, 1..8),
        psm in any::<bool>(),
    ) {
        let mut keys = NbIotKeys { coupling_loss: 120.0, ..NbIotKeys::default() };
        keys.rrc.inactivity = ms(1000);
        let (active, update) = (30_000, 400_000);
        keys.psm = psm.then(|| PsmKeys { active: ms(active), update: ms(update) });
        keys.edrx = Some(EdrxKeys::default());
        let mut run = Run::new(&config(&keys), 1);
        let mut now = 0;
        for start in starts {
            now += start;
            run.send(at(now), 0, DOWN, 40);
        }
        let end = at(now + 2_000_000);
        run.until(end);
        let (mut since, mut woken) = (0, 0);
        // Windows of mobile 0 begin at a place of their own in each cycle.
        let windows = (0x9E37_79B9_u64 * 20_480) >> 32;
        for span in run.spans(0, end).windows(2) {
            let (from, to) = (millis(span[1].0), span[1].2);
            match span[0].2 {
                "psm" => prop_assert_eq!((from, to), (since + update, "listen")),
                "idle" if to == "psm" => prop_assert_eq!(from, since + active),
                "idle" => {
                    // A page takes six subframes.
                    let occasion = from - 6;
                    prop_assert!(occasion % 2560 == 0, "{occasion}");
                    let place = (occasion + 20_480 - windows % 20_480) % 20_480;
                    prop_assert!(place < 5120, "{occasion} is {place} into a cycle");
                    prop_assert!(!psm || occasion < since + active);
                    woken += 1;
                }
                _ => {}
            }
            if to == "idle" {
                since = from;
            }
        }
        prop_assert!(psm || woken > 0);
        prop_assert_eq!(run.bytes(DOWN) % 40, 0);
        prop_assert_eq!(run.cell.total(UP).sdus, 0);
    }
}
