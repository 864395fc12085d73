//! Several bearers of a mobile, seen from outside.

use base::{Direction, Probability, Rate};
use radio::lte::LteKeys;
use radio::scheduled::{BaseStation, BearerKeys};

use super::support::{Fate, Run, at, config};
use crate::support::mobiles;

const BOTH: [Direction; 2] = Direction::BOTH;

/// The size of packets for the default bearer.
const BULK: u32 = 1500;

/// The size of those for the own one.
const OWN: u32 = 202;

/// An LTE cell of `ues` mobiles with a bearer for packets of the size [`OWN`], ahead of
/// others up to a `guaranteed` rate.
fn keys(ues: u32, guaranteed: Option<Rate>) -> LteKeys {
    let (name, dscp) = ("own".to_owned(), (OWN % 4) as u8);
    let bearer = BearerKeys { name, dscp, guaranteed, ..BearerKeys::default() };
    let station = BaseStation { bearer: vec![bearer], ..BaseStation::default() };
    LteKeys { mobiles: mobiles(ues), station, ..LteKeys::default() }
}

/// A run of four seconds in which all mobiles have more for `direction` than the cell carries, and
/// mobile 0 `own` packets more each `every` milliseconds.
fn crowded(keys: &LteKeys, direction: Direction, every: u64, own: u32) -> Run {
    let mut run = Run::new(&config(keys), 1);
    for millis in 0..4000 {
        for ue in 0..keys.mobiles.ues.max(1) {
            for _ in 0..14 {
                run.send(at(millis), ue, direction, BULK);
            }
        }
        if millis % every == every / 3 {
            for _ in 0..own {
                run.send(at(millis), 0, direction, OWN);
            }
        }
    }
    run.until(at(4000));
    run
}

/// Mbit/s of packets of `bytes` of mobile 0 in the last three seconds of `run`.
fn mbps(run: &Run, bytes: u32) -> f64 {
    let of_it = run
        .exits
        .iter()
        .filter(|exit| exit.ue == 0 && exit.packet.bytes == bytes && exit.fate == Fate::Delivered);
    of_it.filter(|exit| exit.time >= at(1000)).count() as f64 * f64::from(bytes) * 8.0 / 3e6
}

/// What comes for the bearer of the higher priority goes ahead of all that waits, in the same
/// mobile and in others, also while blocks err. Downlink it has the next block.
#[test]
fn a_higher_priority_waits_for_nobody() {
    for ues in [1, 3] {
        for direction in BOTH {
            let mut keys = keys(ues, None);
            keys.downlink.reception.bler = Probability::new(0.1);
            let run = crowded(&keys, direction, 20, 1);
            let own = run.exits.iter().filter(|exit| exit.packet.bytes == OWN);
            let delay = |exit: &super::support::Exit| {
                let sent = run.sent_at[exit.packet.number as usize];
                exit.time.saturating_since(sent).as_nanos() / 1_000_000
            };
            let mut delays: Vec<_> = own.map(delay).collect();
            delays.sort_unstable();
            assert!(delays.len() >= 195, "{}", delays.len());
            // Downlink a block of the next slot; uplink one that has been granted, or will be.
            let [median, most] = [delays.len() / 2, delays.len() - 1].map(|at| delays[at]);
            let limits = direction.of([4, 30], [14, 40]);
            assert!(median <= limits[0] && most <= limits[1], "{ues} {direction:?} {delays:?}");
        }
    }
}

/// A guaranteed rate is carried ahead of others, and what exceeds it is left what they leave: the
/// rest of the cell stays theirs.
#[test]
fn what_exceeds_a_guaranteed_rate_comes_last() {
    for direction in BOTH {
        let rate = |guaranteed| {
            let run = crowded(&keys(1, guaranteed), direction, 1, 5);
            [mbps(&run, OWN), mbps(&run, BULK)]
        };
        let [own, bulk] = rate(Some(Rate::from_bps(2_000_000)));
        assert!((1.9..2.3).contains(&own), "{direction:?} {own} beside {bulk}");
        // Without a limit all of it goes first.
        let [all, rest] = rate(None);
        assert!((7.8..8.2).contains(&all), "{direction:?} {all}");
        let whole = [own + bulk, all + rest];
        assert!((whole[0] / whole[1] - 1.0).abs() < 0.03, "{direction:?} {whole:?}");
    }
}
