//! How far satellites are.

use base::{Duration, Philox};
use proptest::prelude::*;
use radio::satellite::Orbit;

use super::support::{SHELL, ms};

const GEOSTATIONARY: Orbit = Orbit { altitude: 35_786_000.0, elevation: 0.0, gateway: 0.0 };
const LIGHT: f64 = 299_792_458.0;
const SLOT: Duration = Duration::from_secs(15);

/// There and back to a satellite, in ms.
fn round_trip(orbit: &Orbit, elevation: f64) -> f64 {
    2000.0 * orbit.slant(elevation) / LIGHT
}

#[test]
fn starlink_is_3_7_ms_away_overhead_and_7_5_ms_at_25_degrees() {
    // Huston, APNIC 2024.
    assert!((round_trip(&SHELL, 90.0) - 3.7).abs() < 0.05);
    assert!((round_trip(&SHELL, 25.0) - 7.5).abs() < 0.05);
}

#[test]
fn a_geostationary_hop_is_239_ms_at_the_zenith_and_279_ms_at_the_horizon() {
    // RFC 2488 §2.
    let hop = |elevation| GEOSTATIONARY.by(elevation, elevation).as_secs_f64() * 1000.0;
    assert!((hop(90.0) - 239.6).abs() < 1.0, "{}", hop(90.0));
    assert!((hop(0.0) - 279.0).abs() < 1.0, "{}", hop(0.0));
}

#[test]
fn ends_may_be_as_far_apart_as_both_see_a_satellite_between_them() {
    // The angle at the middle of the earth is 90° − e − arcsin(R cos e / (R + h)): 8.46°.
    assert!((SHELL.farthest() / 1000.0 - 1881.0).abs() < 5.0, "{}", SHELL.farthest());
}

#[test]
fn satellites_are_spread_evenly_over_the_sky() {
    // Half of a cap's area is within half of its height: the median of the distance overhead.
    let orbit = Orbit { gateway: 1.0, ..SHELL };
    let chance = Philox::named(1, "sky");
    let mut delays: Vec<_> = (0..4000)
        .map(|slot| orbit.delay(&orbit.pass(chance, slot, ms(1)), Duration::ZERO))
        .collect();
    delays.sort_unstable();
    let metres = delays[2000].as_secs_f64() * LIGHT / 2.0;
    let (earth, radius) = (6_371_008.8_f64, 6_921_008.8_f64);
    let edge = SHELL.slant(25.0);
    let cosine =
        |slant: f64| (earth.powi(2) + radius.powi(2) - slant.powi(2)) / 2.0 / earth / radius;
    let middle = f64::midpoint(1.0, cosine(edge));
    let expect = (earth.powi(2) + radius.powi(2) - 2.0 * earth * radius * middle).sqrt();
    assert!((metres / expect - 1.0).abs() < 0.02, "{metres} {expect}");
}

proptest! {
    /// A pass is seen from both ends all the time, moves as fast as its orbit says, and is the same
    /// whoever asks.
    #[test]
    fn a_pass_stays_in_sight(
        altitude in 300_000.0..2_000_000.0, elevation in 10_u32..40, seed in 0_u64..100,
        slot in 0_u32..1000
    ) {
        let orbit = Orbit { altitude, elevation: f64::from(elevation), gateway: 100_000.0 };
        let chance = Philox::named(seed, "Sat/satellites");
        let pass = orbit.pass(chance, slot, SLOT);
        prop_assert_eq!(pass, orbit.pass(chance, slot, SLOT));
        let longest = 2.0 * orbit.slant(orbit.elevation) / LIGHT;
        let mut before: Option<f64> = None;
        for step in 0..=150 {
            let delay = orbit.delay(&pass, ms(100) * step).as_secs_f64();
            prop_assert!(delay >= 2.0 * altitude / LIGHT);
            prop_assert!(delay <= longest * 1.0001, "{delay} {longest}");
            // No satellite is faster than 8 km/s, and both hops change.
            let most = 0.1 * 16_000.0 / LIGHT;
            prop_assert!(before.is_none_or(|before| (delay - before).abs() <= most));
            before = Some(delay);
        }
    }
}
