use mobility::motion::Position;

use super::*;
use crate::kit::decibel::log10;
use crate::testing::sf;
use crate::umts::interference::{Air, Antenna, Rates};

fn channels(downlink: u32, uplink: u32) -> Dedicated {
    Dedicated { downlink: sf(downlink), uplink: sf(uplink) }
}

fn limits() -> AdmissionLimits {
    AdmissionLimits {
        noise_rise: 4.0,
        power_share: Probability::new(0.75).expect("a share"),
        downlink_sf: sf(128),
        uplink_sf: sf(64),
    }
}

fn radio(users: u32) -> Interference {
    // A block error rate of 1 % at 5 dB, and a tenth of that at 6.
    let ebn0 = 5.0 - log10(11.0);
    let air =
        Air { target: 0.01, downlink_ebn0: ebn0, uplink_ebn0: ebn0, decade: 1.0, ..Air::default() };
    let position = Position::default();
    let mast = Antenna { position, azimuth: None, node_b: 0, carrier: 0 };
    let mut radio = Interference::new(air, &[mast], 1, "net");
    let rate = SpreadingTable::Module.rate_of(Direction::Downlink, sf(32)).expect("a rate");
    let rates = Rates { downlink: rate, uplink: rate };
    for ue in 0..users {
        let gains = radio.gains(Position::new(300.0, 0.0));
        radio.set_link(ue, gains, &[0], rates);
    }
    (0..100).for_each(|_| radio.settle());
    radio
}

fn admit(
    radio: Option<&Interference>,
    wanted: Dedicated,
    is_free: impl Fn(u32, SpreadingFactor) -> bool,
) -> Result<Dedicated, Refusal> {
    let gains = radio.map_or_else(Vec::new, |radio| radio.gains(Position::new(300.0, 0.0)));
    let request = Request { cells: &[0], gains: &gains, wanted };
    limits().admit(&request, SpreadingTable::Module, radio, is_free)
}

#[test]
fn an_empty_cell_gives_what_is_wanted() {
    let wanted = channels(16, 16);
    assert_eq!(admit(Some(&radio(0)), wanted, |_, _| true), Ok(wanted));
    assert_eq!(admit(None, wanted, |_, _| true), Ok(wanted));
}

#[test]
fn without_a_code_the_next_factor_is_given() {
    let free_from = |least: u32| move |_, factor: SpreadingFactor| factor.chips() >= least;
    assert_eq!(admit(None, channels(8, 8), free_from(64)), Ok(channels(64, 8)));
    assert_eq!(admit(None, channels(8, 8), free_from(128)), Ok(channels(128, 8)));
    let refused = admit(None, channels(8, 8), free_from(256));
    assert_eq!(refused, Err(Refusal::Codes { cell: 0 }));
}

#[test]
fn one_full_cell_of_several_refuses() {
    let request = Request { cells: &[0, 3], gains: &[], wanted: channels(8, 8) };
    let refused = limits().admit(&request, SpreadingTable::Module, None, |cell, _| cell != 3);
    assert_eq!(refused, Err(Refusal::Codes { cell: 3 }));
}

/// The more UEs there are, the less a new one gets, until it gets nothing; what it gets keeps the
/// limits.
#[test]
fn a_filling_cell_admits_less_and_less() {
    let wanted = channels(8, 8);
    let mut last = wanted;
    let mut refusals = Vec::new();
    let mut slower = 0;
    for users in 0..12 {
        let radio = radio(users);
        match admit(Some(&radio), wanted, |_, _| true) {
            Ok(given) => {
                assert!(given.downlink >= last.downlink && given.uplink >= last.uplink);
                assert!(refusals.is_empty(), "a fuller cell is not kinder");
                let rate = SpreadingTable::Module.rate_of(Direction::Uplink, given.uplink);
                assert!(radio.noise_rise_after_db(0, rate.expect("a rate")) <= 4.0);
                slower += usize::from(given != last);
                last = given;
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    assert!(slower > 1 && !refusals.is_empty(), "{slower} {refusals:?}");
}

#[test]
fn the_reason_is_named() {
    let full = radio(9);
    let refused = admit(Some(&full), channels(128, 8), |_, _| true);
    let is_named =
        matches!(refused, Err(Refusal::NoiseRise { cell: 0, .. } | Refusal::Power { cell: 0, .. }));
    assert!(is_named, "{refused:?}");
}
