//! Mobiles without a connection that listen from time to time, or not at all.

use base::{Direction, Energy, Power, Time};
use link::queue;
use proptest::prelude::*;
use radio::lte::LteKeys;
use radio::nr::NrKeys;
use radio::scheduled::{BaseStation, Handover, drx, rrc};
use radio::{EdrxKeys, PsmKeys};

use super::support::{Run, at, config, ms};
use crate::support::cell::context_with;
use crate::support::mobiles;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// From a page, or from what a mobile does by itself, until it is connected, and a slot before.
const PROMOTION: u64 = 260 + 1;

/// The gap of a handover.
const GAP: u64 = 30;

/// What a packet takes of a mobile that is connected: a block, or a request and a grant.
const PACKET: u64 = 30;

fn keys(edrx: Option<EdrxKeys>, psm: Option<PsmKeys>) -> LteKeys {
    let rrc = Some(rrc::Keys { tail: ms(1000), ..rrc::Keys::default() });
    LteKeys {
        station: BaseStation { rrc, edrx, psm, ..BaseStation::default() },
        ..LteKeys::default()
    }
}

fn millis(time: Time) -> u64 {
    time.as_nanos() / 1_000_000
}

/// When packet `number` was delivered, in milliseconds.
fn delivered(run: &Run, number: u32) -> Option<u64> {
    run.delivered(number).map(millis)
}

/// Where a cycle begins for mobile number `ue`: they are spread by steps of the golden ratio.
fn place(ue: u32, cycle: u64) -> u64 {
    (u64::from(ue.wrapping_mul(0x9E37_79B9)) * cycle) >> 32
}

/// Whether mobile number `ue` listens for a page in a slot, if it is not in power saving mode.
fn listens(ue: u32, edrx: bool, slot: u64) -> bool {
    let is_open = (slot + 20_480 - place(ue + 1, 20_480)) % 20_480 < 5120;
    slot % 1280 == place(ue, 1280) && (!edrx || is_open)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A mobile that only the network has something for connects when it hears of that: in one of
    /// its slots, in its window, not in power saving mode; or when it says that it is there. What
    /// waits for it comes soon after the first of these. Its energy is that of its states and bits.
    #[test]
    fn a_mobile_that_sleeps_hears_nothing(
        pauses in prop::collection::vec((1_u64..60_000, 0_u32..3), 1..20),
        (edrx, psm) in any::<(bool, bool)>(),
        (active, update) in (1_u64..40_000, 1_u64..200_000),
        handover in any::<bool>(),
    ) {
        let update = active + update;
        let saving = psm.then(|| PsmKeys { active: ms(active), update: ms(update) });
        let mut keys = LteKeys {
            mobiles: mobiles(3),
            handover: handover.then(|| Handover { gap: Some(ms(GAP)), ..Handover::default() }),
            ..keys(edrx.then(EdrxKeys::default), saving)
        };
        keys.station.drx = Some(drx::Keys::default());
        // A packet may have to wait for the end of a handover.
        let gap = keys.handover.as_ref().map_or(0, |_| GAP);
        let packet = PACKET + gap;
        let config = config(&keys);
        let mut run = Run::new(&config, 1);
        let (mut now, mut sent) = (0, Vec::new());
        for (pause, ue) in pauses {
            now += pause;
            sent.push((run.send(at(now), ue, DOWN, 40), ue, now));
        }
        let end = now + 300_000;
        run.until(at(end));
        prop_assert_eq!(run.network.total(UP).sdus, 0);
        for (ue, used) in (0..).zip(run.network.energy(at(end))) {
            let spans = run.spans(ue, at(end));
            let mut since = 0;
            // When it began to connect, or could have.
            let mut begins = Vec::new();
            for pair in spans.windows(2) {
                let (from, before, after) = (millis(pair[1].0), pair[0].2, pair[1].2);
                match (before, after) {
                    ("psm", "promotion") => prop_assert_eq!(from, since + update + 1),
                    ("idle", "psm") => prop_assert_eq!(from, since + active),
                    ("idle", "promotion") => {
                        prop_assert!(listens(ue, edrx, from), "{from} {spans:?}");
                        prop_assert!(!psm || from < since + active, "{from} {since}");
                        let waits = |(number, of, at): &(u32, u32, u64)| {
                            *of == ue && *at < from && delivered(&run, *number) > Some(from)
                        };
                        prop_assert!(sent.iter().any(waits), "nothing waits at {from}");
                    }
                    (_, "idle") => {
                        prop_assert_eq!((before, from - millis(pair[0].0)), ("tail", 899));
                        since = from;
                    }
                    ("promotion" | "tail", "active") | ("active", "tail") => {}
                    other => prop_assert!(false, "{other:?}"),
                }
                if after == "promotion" {
                    begins.push(from);
                }
            }
            for (number, _, start) in sent.iter().filter(|packet| packet.1 == ue) {
                let came = delivered(&run, *number).ok_or("it is lost");
                let came = came.map_err(TestCaseError::fail)?;
                let next = begins.iter().find(|begin| **begin > *start);
                let bound = next.map_or(*start, |begin| begin + PROMOTION);
                // It is connected already, or is as soon as it begins.
                let is_prompt = came <= start + PROMOTION + packet || came <= bound + packet;
                prop_assert!(is_prompt, "{start} {came} {begins:?}");
                let cycle = if edrx { 20_480 } else { 1280 };
                let longest = if psm { update } else { cycle } + PROMOTION + packet;
                prop_assert!(came <= start + longest, "{start} {came}");
            }
            let power = |name: &str| {
                let state = used.states().iter().find(|state| state.name == name);
                state.map_or(Power::default(), |state| state.power)
            };
            let drawn: Energy =
                spans.iter().map(|(from, to, name)| power(name) * to.saturating_since(*from)).sum();
            let carried = [DOWN, UP].map(|way| {
                let bytes = run.network.counters(ue, way).bytes_sent;
                config.power.per_bit[way as usize].of_bytes(bytes)
            });
            prop_assert_eq!(used.total(), drawn + carried.into_iter().sum());
            let time: u64 = used.states().iter().map(|state| state.time.as_nanos()).sum();
            prop_assert_eq!(time, at(end).as_nanos());
            prop_assert_eq!(used.states().iter().any(|state| state.name == "psm"), psm);
        }
    }
}

/// What comes for a mobile in power saving mode waits in its queue, which may be full, until it
/// says that it is there; or until it has something to send.
#[test]
fn what_comes_downlink_waits_for_a_mobile_that_sleeps() {
    let psm = PsmKeys { active: ms(10_000), update: ms(600_000) };
    let mut limited = queue::Config::UNLIMITED;
    limited.limit.packets = Some(3);
    let config = keys(None, Some(psm)).config(&context_with(limited));
    let mut run = Run::new(&config, 1);
    let sent: Vec<_> = (0..5).map(|each| run.send(at(100_000 + each), 0, DOWN, 50)).collect();
    run.until(at(599_999));
    assert_eq!(run.exits.len(), 2, "the queue is full");
    run.until(at(605_000));
    for number in &sent[..3] {
        let time = delivered(&run, *number).expect("it arrives");
        assert!((600_000 + PROMOTION..600_000 + PROMOTION + 10).contains(&time), "{time}");
    }
    let waits = run.send(at(900_000), 0, DOWN, 50);
    run.until(at(930_000));
    assert_eq!(run.delivered(waits), None);
    let number = run.send(at(930_000), 0, UP, 50);
    run.until(at(931_000));
    let times = [waits, number].map(|number| delivered(&run, number).unwrap_or_default());
    let expect = 930_000 + PROMOTION..930_000 + PROMOTION + PACKET;
    assert!(times.iter().all(|time| expect.contains(time)), "{times:?}");
}

/// After a connection a mobile listens for a while, and a page then is heard as usual.
#[test]
fn a_mobile_listens_for_a_while_after_a_connection() {
    let psm = PsmKeys { active: ms(20_000), update: ms(600_000) };
    let mut run = Run::new(&config(&keys(None, Some(psm))), 1);
    run.send(at(100_000), 0, UP, 50);
    // The last block is that of the packet or its status report, a second before idle.
    run.until(at(110_000));
    let idle = run.spans(0, at(110_000)).last().map(|span| (millis(span.0), span.2));
    let Some((since, "idle")) = idle else { panic!("it is idle: {idle:?}") };
    let heard = run.send(at(since + 15_000), 0, DOWN, 50);
    run.until(at(since + 17_000));
    assert!(run.delivered(heard).is_some());
    run.until(at(since + 60_000));
    let late = run.send(at(since + 60_000), 0, DOWN, 50);
    run.until(at(since + 600_000));
    assert_eq!(run.delivered(late), None);
}

/// A packet waits for a window of an extended cycle; mobiles have theirs at places of their own.
#[test]
fn a_page_waits_for_its_cycle() {
    let waits = |edrx: Option<EdrxKeys>| {
        let times = (0..40).map(|ue| {
            let keys = LteKeys { mobiles: mobiles(40), ..keys(edrx, None) };
            let mut run = Run::new(&config(&keys), 1);
            let number = run.send(at(100_000), ue, DOWN, 50);
            run.until(at(200_000));
            delivered(&run, number).expect("it arrives") - 100_000
        });
        let mut times: Vec<_> = times.collect();
        times.sort_unstable();
        times
    };
    let usual = waits(None);
    assert!(usual[39] <= 1280 + PROMOTION + PACKET && usual[39] > 1000, "{usual:?}");
    let extended = waits(Some(EdrxKeys::default()));
    assert!(extended[39] <= 20_480 - 5120 + 1280 + PROMOTION + PACKET, "{extended:?}");
    assert!(extended[39] > 12_000, "{extended:?}");
    // A quarter of them is in its window; the others are spread over what is left.
    let soon = extended.iter().filter(|wait| **wait <= 1280 + PROMOTION + PACKET).count();
    assert!((8..16).contains(&soon), "{extended:?}");
    let gaps = extended[soon..].windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.max() < Some(3 * 20_480 / 40 + 1280), "{extended:?}");
}

/// A mobile that hears no page has as many events as it has updates to make, and one that does has
/// none; a thousand mobiles have a thousand times as many.
#[test]
fn sleep_costs_an_event_where_something_changes() {
    let timeouts = |edrx, psm, ues| {
        let keys = LteKeys {
            mobiles: mobiles(ues),
            handover: Some(Handover::default()),
            ..keys(edrx, psm)
        };
        let mut run = Run::new(&config(&keys), 1);
        // They wait for what comes for them as well.
        let begin = if psm.is_some() { 20_000 } else { 0 };
        run.until(at(begin));
        if psm.is_some() {
            (0..ues).for_each(|ue| _ = run.send(at(begin), ue, DOWN, 50));
        }
        run.until(at(99_999));
        run.timeouts
    };
    assert_eq!(timeouts(Some(EdrxKeys::default()), None, 1000), 0);
    let psm = PsmKeys { active: ms(10_000), update: ms(100_000) };
    // That of the whole cell: power saving mode begins.
    assert_eq!(timeouts(None, Some(psm), 1), 1);
    assert_eq!(timeouts(Some(EdrxKeys::default()), Some(psm), 1000), 1);
    // An update: it is due, it begins, it has connected, and is released.
    let mut run = Run::new(&config(&keys(None, Some(psm))), 1);
    run.until(at(99_999 + 10 * 101_261));
    assert_eq!(run.timeouts, 1 + 10 * 5);
    assert!(run.facts.blocks.0.is_empty());
}

/// The power of a mobile that is idle is that of its cycles.
#[test]
fn an_idle_mobile_draws_what_its_cycle_says() {
    let energy = |edrx, psm| {
        let run = Run::new(&config(&keys(edrx, psm)), 1);
        let used = run.network.energy(at(1_000_000)).next().expect("one mobile");
        used.total().as_joules_f64()
    };
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(close(energy(None, None), 20.0));
    // A quarter at 20 mW, three quarters at 15 µW: 5.01125 mW, in whole microwatts.
    assert!(close(energy(Some(EdrxKeys::default()), None), 5.011));
    let psm = PsmKeys { active: ms(10_000), update: ms(2_000_000) };
    let mut run = Run::new(&config(&keys(None, Some(psm))), 1);
    run.until(at(1_000_000));
    let used = run.network.energy(at(1_000_000)).next().expect("one mobile");
    assert!(close(used.total().as_joules_f64(), 0.020 * 10.0 + 15e-6 * 990.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A packet of a mobile that has been silent: while the connection is up it waits for a
    /// request, while that is suspended for its resumption as well, and once it is forgotten for a
    /// new one. Of pages it hears one a cycle, and what waits for one is not released. The time in
    /// each state is what these say.
    #[test]
    fn a_suspended_connection_is_resumed(
        pauses in prop::collection::vec((1_u64..20_000, any::<bool>()), 1..12),
        (resume, cycle) in (1_u64..40, 10_u64..2560),
        release in prop::option::of(1000_u64..10_000),
    ) {
        let mut keys = NrKeys::default();
        keys.station.rrc = Some(rrc::Keys { tail: ms(1000), ..rrc::Keys::default() });
        let (own, release_after) = (ms(cycle), release.map(ms));
        let inactive =
            rrc::InactiveKeys { resume: ms(resume), paging_cycle: own, release: release_after };
        keys.inactive = Some(inactive);
        let config = keys.config(&context_with(queue::Config::UNLIMITED));
        let mut run = Run::new(&config, 1);
        let mut now = 0;
        for (pause, is_down) in pauses {
            now += pause;
            run.until(at(now));
            let before = run.spans(0, at(now)).last().map(|span| span.2);
            let number = run.send(at(now), 0, if is_down { DOWN } else { UP }, 40);
            run.until(at(now + 4000));
            let came = delivered(&run, number).ok_or("it is lost");
            let took = came.map_err(TestCaseError::fail)? - now;
            let (connects, page) = match before {
                Some("idle") => (260, 1280),
                Some("inactive") => (resume, cycle),
                _ => (0, 0),
            };
            let most = connects + if is_down { page } else { 0 } + PACKET;
            prop_assert!((connects..=most).contains(&took), "{before:?} {is_down} {took}");
            now += 4000;
        }
        for pair in run.spans(0, at(now)).windows(2) {
            let lasted = millis(pair[1].0) - millis(pair[0].0);
            match (pair[0].2, pair[1].2) {
                ("inactive", "idle") => prop_assert_eq!(Some(lasted), release),
                ("inactive", "promotion") => {
                    prop_assert!(release.is_none_or(|after| lasted <= after + cycle));
                }
                ("active", "inactive") => prop_assert!(lasted >= 1000),
                ("idle", "promotion") | ("promotion", "active") => {}
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
