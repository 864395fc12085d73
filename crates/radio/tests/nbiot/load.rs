//! What random access carries, whatever the load.

use base::{Duration, Philox, Time};
use radio::nbiot::NbIotKeys;

use super::support::{Run, UP, at, config, millis, ms, near};
use crate::support::mobiles;

/// So many reports a second for so many seconds.
type Phase = (u32, u64);

/// Reports that arrive in each second until `end`, of those of `phases`: each of 200 bytes, of a
/// mobile of its own that had no connection, at a time that chance says.
fn served(keys: &NbIotKeys, phases: &[Phase], end: u64) -> Vec<u32> {
    let chance = Philox::named(1, "load");
    let (mut starts, mut from) = (Vec::new(), 0);
    for (rate, seconds) in phases {
        let drawn = (0..rate * *seconds as u32).map(|each| chance.at([each, *rate, 0, 0])[0]);
        starts.extend(drawn.map(|drawn| from + ((u64::from(drawn) * seconds * 1000) >> 32)));
        from += seconds * 1000;
    }
    starts.sort_unstable();
    let keys = NbIotKeys { mobiles: mobiles(starts.len() as u32), ..keys.clone() };
    let mut run = Run::new(&config(&keys), 1);
    for (ue, start) in (0..).zip(&starts) {
        run.send(at(*start), ue, UP, 200);
    }
    run.until(at(end * 1000));
    let mut served = vec![0; end as usize + 1];
    for exit in &run.exits {
        served[millis(exit.time) as usize / 1000] += 1;
    }
    served
}

/// Reports that arrive each second of the second half of 200 s in which `rate` are sent.
fn throughput(keys: &NbIotKeys, rate: u32) -> f64 {
    f64::from(served(keys, &[(rate, 200)], 200)[100..200].iter().sum::<u32>()) / 100.0
}

/// Twelve tones each 320 ms carry at most 12/e preambles in that time without a collision, 13.8 a
/// second. What is offered gets through up to there; beyond, as much does as at most, and at twice
/// that load no less than half of it.
#[test]
fn random_access_does_not_collapse() {
    for rate in [5, 10, 13] {
        let served = throughput(&near(), rate);
        assert!((served / f64::from(rate) - 1.0).abs() < 0.05, "{served} of {rate}");
    }
    for (rate, least) in [(16, 13.0), (20, 13.0), (26, 12.0), (40, 9.0)] {
        let served = throughput(&near(), rate);
        assert!((least..14.5).contains(&served), "{served} of {rate}");
    }
}

/// With a short back-off that does not follow the load nothing is heard soon: retries take every
/// tone.
#[test]
fn a_short_back_off_collapses() {
    let mut keys = near();
    keys.nprach.backoff = Some(ms(1024));
    let [below, beyond] = [13, 16].map(|rate| throughput(&keys, rate));
    assert!(below > 12.0 && beyond < 1.0, "{below} {beyond}");
}

/// When the load falls all that waited gets through, and then reports are as quick as before.
#[test]
fn random_access_recovers() {
    let served = served(&near(), &[(26, 60), (3, 340)], 400);
    let all: u32 = served.iter().sum();
    // A few of the last seconds may be under way.
    assert!(all + 15 > 26 * 60 + 3 * 340, "{all}");
    let last: u32 = served[300..400].iter().sum();
    assert!((280..320).contains(&last), "{last}");
}

/// A mobile that is not heard sends as many preambles as it may, waits, and connects anew.
#[test]
fn random_access_fails_after_so_many_preambles() {
    let mut keys = near();
    (keys.nprach.attempts, keys.nprach.backoff) = (3, Some(Duration::ZERO));
    keys.mobiles.outages = vec![[Duration::ZERO, ms(30_000)]];
    let mut run = Run::new(&config(&keys), 1);
    let number = run.send(at(10), 0, UP, 50);
    run.until(at(60_000));
    let spans = run.spans(0, at(30_000));
    let preambles: Vec<_> = spans.iter().filter(|span| span.2 == "transmit").collect();
    let waits = preambles.windows(2).map(|pair| pair[1].0.saturating_since(pair[0].0));
    let waits: Vec<_> = waits.map(|wait| millis(Time::ZERO + wait)).collect();
    // Not heard for 640 ms after the 12 of a preamble, then the next occasion of 320 ms. After the
    // third 10 s, 700 ms for synchronization, and the next occasion.
    assert_eq!(waits[..5], [960, 960, 11_520, 960, 960]);
    assert!(run.delivered(number).is_some_and(|time| time < at(45_000)));
}
