use proptest::prelude::*;

use super::*;
use crate::kit::decibel::log10;
use crate::testing::close;

/// With block error rates of 1 % at 5 dB, and a tenth of that at 6.
fn air() -> Air {
    let ebn0 = 5.0 - log10(11.0);
    Air {
        link_power: 30.0,
        target: 0.01,
        downlink_ebn0: ebn0,
        uplink_ebn0: ebn0,
        decade: 1.0,
        ..Air::default()
    }
}

fn mast(x: f64, node_b: u32) -> Antenna {
    Antenna { position: Position::new(x, 0.0), azimuth: None, node_b, carrier: 0 }
}

fn kbps(downlink: u64, uplink: u64) -> Rates {
    let rate = |kbps| Rate::from_bps(kbps * 1000);
    Rates { downlink: rate(downlink), uplink: rate(uplink) }
}

/// A network of masts 1 km apart, and UEs as (metres along the line, members).
fn network(air: Air, masts: u32, ues: &[(f64, &[u32])], rates: Rates) -> Interference {
    let antennas: Vec<Antenna> = (0..masts).map(|n| mast(f64::from(n) * 1000.0, n)).collect();
    let mut radio = Interference::new(air, &antennas, 1, "net");
    for (ue, (x, members)) in ues.iter().enumerate() {
        let gains = radio.gains(Position::new(*x, 0.0));
        radio.set_link(ue as u32, gains, members, rates);
    }
    (0..100).for_each(|_| radio.settle());
    radio
}

fn bler(radio: &Interference, ue: u32, direction: Direction) -> f64 {
    radio.quality(ue, direction).expect("a link").bler.value()
}

const BOTH: [Direction; 2] = Direction::BOTH;

#[test]
fn a_lone_ue_sends_what_its_target_needs() {
    let radio = network(air(), 1, &[(300.0, &[0])], kbps(120, 60));
    for direction in BOTH {
        close(bler(&radio, 0, direction), 0.01, 1e-6);
        close(radio.quality(0, direction).expect("a link").ebn0_db, 5.0, 1e-6);
    }
    // Uplink by hand: Eb/N0 of 5 dB less a processing gain of 64 (18.06 dB) above −103 dBm, over a
    // loss of 128.1 − 19.66 − 11 dB.
    let power = radio.quality(0, Direction::Uplink).expect("a link").power_dbm;
    close(power, 5.0 - 18.06 - 103.0 + 97.44, 0.02);
}

/// The load equation (Holma and Toskala, eq. 8.10 and 8.11), without other cells.
#[test]
fn the_noise_rise_is_that_of_the_load_equation() {
    for users in [1_u32, 2, 5, 10] {
        let places: Vec<(f64, &[u32])> =
            (0..users).map(|n| (100.0 + 30.0 * f64::from(n), &[0_u32][..])).collect();
        let radio = network(air(), 1, &places, kbps(30, 60));
        let load = f64::from(users) / (1.0 + 64.0 / from_db(5.0));
        assert!(load < 1.0);
        close(radio.noise_rise_db(0), to_db(1.0 / (1.0 - load)), 1e-6);
        let more = f64::from(users + 1) / (1.0 + 64.0 / from_db(5.0));
        close(
            radio.noise_rise_after_db(0, Rate::from_bps(60_000)),
            to_db(1.0 / (1.0 - more)),
            1e-6,
        );
    }
}

#[test]
fn errors_stay_at_the_target_until_power_runs_out() {
    let mut last = [0.01; 2];
    let mut run_out = [0; 2];
    for step in 1..60 {
        let place = f64::from(step) * 100.0;
        let radio = network(air(), 1, &[(place, &[0])], kbps(240, 240));
        for (index, direction) in BOTH.into_iter().enumerate() {
            let limit = [air().link_power, air().ue_power][index];
            let quality = radio.quality(0, direction).expect("a link");
            if quality.power_dbm < limit - 1e-6 {
                close(quality.bler.value(), 0.01, 1e-6);
                assert_eq!(run_out[index], 0, "once out, always out");
            } else {
                run_out[index] += 1;
                assert!(quality.bler.value() >= last[index] - 1e-9, "further is worse");
            }
            last[index] = quality.bler.value();
        }
    }
    assert!(run_out.iter().all(|count| (1..59).contains(count)), "both regimes: {run_out:?}");
    assert!(last.iter().all(|bler| *bler > 0.99), "far away nothing arrives: {last:?}");
}

#[test]
fn an_overloaded_cell_drives_powers_to_their_limits() {
    let places: Vec<(f64, &[u32])> = (0..30).map(|n| (200.0 + f64::from(n), &[0][..])).collect();
    let radio = network(air(), 1, &places, kbps(240, 60));
    assert!(radio.power_share(0) <= 1.0 + 1e-9);
    for direction in BOTH {
        let quality = radio.quality(29, direction).expect("a link");
        assert!(quality.bler.value() > 0.2, "{direction:?}: {quality:?}");
    }
}

#[test]
fn orthogonal_codes_leave_only_other_cells_and_noise() {
    let share = |orthogonality| {
        let air = Air { orthogonality, ..air() };
        network(air, 1, &[(300.0, &[0]), (300.0, &[0])], kbps(120, 60)).power_share(0)
    };
    assert!(share(1.0) < share(0.6) && share(0.6) < share(0.0));
    let alone = Air { orthogonality: 1.0, ..air() };
    let one = network(alone, 1, &[(300.0, &[0])], kbps(120, 60));
    let two = network(alone, 1, &[(300.0, &[0]), (300.0, &[0])], kbps(120, 60));
    let power =
        |radio: &Interference| radio.quality(0, Direction::Downlink).expect("a link").power_dbm;
    close(power(&one), power(&two), 1e-6);
}

#[test]
fn neighbours_disturb_and_other_carriers_do_not() {
    let rise = |carrier| {
        let antennas = [mast(0.0, 0), Antenna { carrier, ..mast(1000.0, 1) }];
        let mut radio = Interference::new(air(), &antennas, 1, "net");
        for (ue, x, cell) in [(0, 480.0, 0), (1, 520.0, 1)] {
            let gains = radio.gains(Position::new(x, 0.0));
            radio.set_link(ue, gains, &[cell], kbps(120, 120));
        }
        (0..100).for_each(|_| radio.settle());
        (radio.noise_rise_db(0), radio.quality(0, Direction::Downlink).expect("a link").power_dbm)
    };
    let (same, other) = (rise(0), rise(1));
    assert!(same.0 > other.0 + 0.1 && same.1 > other.1 + 0.1, "{same:?} {other:?}");
}

#[test]
fn soft_handover_needs_less_power_and_loses_less() {
    let rates = kbps(240, 240);
    let power = |members: &[u32], direction| {
        let radio = network(air(), 2, &[(500.0, members)], rates);
        radio.quality(0, direction).expect("a link").power_dbm
    };
    assert!(power(&[0, 1], Direction::Downlink) < power(&[0], Direction::Downlink) - 1.0);
    // Uplink, one NodeB is as good as the other: the UE sends no less, and both decode.
    close(power(&[0, 1], Direction::Uplink), power(&[0], Direction::Uplink), 0.1);
    let radio = network(air(), 2, &[(500.0, &[0, 1])], rates);
    close(bler(&radio, 0, Direction::Uplink), 0.01 * 0.01, 1e-6);
}

#[test]
fn softer_handover_combines_before_it_decodes() {
    let antennas = [mast(0.0, 0), mast(0.0, 0)];
    let power = |members: &[u32]| {
        let mut radio = Interference::new(air(), &antennas, 1, "net");
        let gains = radio.gains(Position::new(400.0, 0.0));
        radio.set_link(0, gains, members, kbps(120, 120));
        (0..100).for_each(|_| radio.settle());
        close(bler(&radio, 0, Direction::Uplink), 0.01, 1e-6);
        radio.quality(0, Direction::Uplink).expect("a link").power_dbm
    };
    close(power(&[0]) - power(&[0, 1]), to_db(2.0), 0.3);
}

#[test]
fn pilots_fall_with_distance_and_links_come_and_go() {
    let mut radio = network(air(), 2, &[(100.0, &[0])], kbps(120, 60));
    let pilots = radio.pilots_db(&radio.gains(Position::new(100.0, 0.0)));
    assert!(pilots[0] > pilots[1] + 20.0 && pilots[0] < 0.0, "{pilots:?}");
    let busy = radio.power_share(0);
    radio.drop_link(0);
    radio.drop_link(7);
    radio.settle();
    assert!(radio.power_share(0) < busy && radio.quality(0, Direction::Uplink).is_none());
    close(radio.noise_rise_db(0), 0.0, 1e-9);
    close(radio.power_share(0), from_db(36.0 - 43.0), 1e-9);
}

#[test]
fn admission_foresees_what_then_comes() {
    let places: [(f64, &[u32]); 3] = [(200.0, &[0]), (400.0, &[0]), (500.0, &[0])];
    let before = network(air(), 2, &places[..2], kbps(120, 60));
    let after = network(air(), 2, &places, kbps(120, 60));
    let foreseen = before.noise_rise_after_db(0, Rate::from_bps(60_000));
    close(foreseen, after.noise_rise_db(0), 1e-6);
    let gains = before.gains(Position::new(500.0, 0.0));
    let share = before.power_share_after(0, &gains, Rate::from_bps(120_000));
    assert!(share > before.power_share(0));
    // The others need a little more against the newcomer, which the estimate leaves out.
    close(share / after.power_share(0), 1.0, 0.05);
    let far = before.gains(Position::new(-20_000.0, 0.0));
    assert!(before.power_share_after(0, &far, Rate::from_bps(120_000)).is_infinite());
}

proptest! {
    /// Wherever UEs stand and whatever they carry: powers keep their limits, rates of error are
    /// rates, and no link without need errs less than its target asks.
    #[test]
    fn powers_keep_their_limits(
        ues in prop::collection::vec((-500.0..2500.0_f64, 0..3_u32, 0..3_u32), 1..12),
        down in 8..480_u64,
        up in 8..480_u64,
        shadowing in prop_oneof![Just(0.0), Just(8.0)],
    ) {
        let sets: Vec<Vec<u32>> = ues
            .iter()
            .map(|(_, a, b)| if a == b { vec![*a] } else { vec![*a, *b] })
            .collect();
        let places: Vec<(f64, &[u32])> =
            ues.iter().zip(&sets).map(|((x, ..), set)| (*x, &set[..])).collect();
        let radio = network(Air { shadowing, ..air() }, 3, &places, kbps(down, up));
        for cell in 0..3 {
            prop_assert!(radio.power_share(cell) <= 1.0 + 1e-9);
            prop_assert!(radio.noise_rise_db(cell) >= -1e-9);
        }
        for ue in 0..ues.len() as u32 {
            for (direction, limit) in BOTH.into_iter().zip([30.0, 21.0]) {
                let quality = radio.quality(ue, direction).expect("a link");
                prop_assert!(quality.power_dbm <= limit + 1e-9);
                prop_assert!((0.0..=1.0).contains(&quality.bler.value()));
                prop_assert!(quality.ebn0_db <= 5.0 + 0.01, "{direction:?} {quality:?}");
            }
        }
    }
}
