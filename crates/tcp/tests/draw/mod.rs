//! Configurations drawn at random.

use base::Duration;
use cc::{
    Algorithm, BbrParameters, CubicParameters, Delta, Halving, RenoParameters, SlowStart,
    VegasParameters, WestwoodParameters,
};
use proptest::prelude::*;
use tcp::{
    BackOff, Config, FackWindow, Freeze, NewReno, Offers, Pacing, PacingRtt, RecoveryKind,
    RtoConfig, RttSampling, SpuriousTimeouts, VegasRecords, WindowOpening,
};

/// Any configuration that ends a transfer.
pub(crate) fn config() -> impl Strategy<Value = Config> {
    let numbers = (1_u32..1_500, 1_u32..40, 1_u32..5, 300_u32..200_000);
    let times = (prop::option::of(1_u64..200), 1_u8..4, 0_u32..5);
    let switches = any::<[bool; 11]>();
    let back_off =
        prop_oneof![Just(BackOff::Exponential), Just(BackOff::Linear), Just(BackOff::Constant),];
    let schemes = (congestion_control(), recovery(), pacing(), spurious_timeouts(), back_off);
    (numbers, times, switches, schemes).prop_map(
        |(
            (mss, window, initial_window, receive_buffer),
            (delay, copies, opening),
            on,
            (congestion_control, recovery, (pacing, pacing_rtt), spurious_timeouts, back_off),
        )| Config {
            congestion_control,
            recovery,
            pacing,
            pacing_rtt,
            proportional_rate_reduction: on[10],
            spurious_timeouts,
            mss,
            window,
            initial_window,
            receive_buffer,
            window_opening: match opening {
                0 => WindowOpening::Whole,
                segments => WindowOpening::Gradual { segments },
            },
            freeze: Freeze { notices: copies, reopenings: copies },
            rto: RtoConfig {
                tick: Duration::from_millis(10),
                min: Duration::from_millis(200),
                back_off,
                ..Config::PLAIN.rto
            },
            rtt_sampling: if on[1] { RttSampling::OnePerWindow } else { RttSampling::EverySegment },
            delayed_ack: delay.map(Duration::from_millis),
            offers: Offers { sack: on[6], timestamps: on[7], ecn: on[8] },
            dsack: on[9],
            limited_transmit: on[2],
            slow_start_restart: on[3],
            recover_guard: on[4],
            nagle: on[5],
            time_wait: Duration::from_secs(240),
            ..Config::PLAIN
        },
    )
}

fn recovery() -> impl Strategy<Value = RecoveryKind> {
    prop_oneof![
        Just(RecoveryKind::Tahoe),
        Just(RecoveryKind::Reno),
        Just(RecoveryKind::NewReno(NewReno::RFC_6582)),
        Just(RecoveryKind::Sack1),
        Just(RecoveryKind::Sack),
        Just(RecoveryKind::Fack(FackWindow::Halves)),
        Just(RecoveryKind::Fack(FackWindow::Restarts)),
        Just(RecoveryKind::Rack),
        Just(RecoveryKind::Vegas(VegasRecords::Exact)),
    ]
}

fn spurious_timeouts() -> impl Strategy<Value = SpuriousTimeouts> {
    prop_oneof![
        Just(SpuriousTimeouts::Unseen),
        Just(SpuriousTimeouts::FRto),
        Just(SpuriousTimeouts::Eifel),
    ]
}

fn pacing() -> impl Strategy<Value = (Pacing, PacingRtt)> {
    let when = prop_oneof![Just(Pacing::Off), Just(Pacing::SlowStart), Just(Pacing::Always)];
    let rtt =
        prop_oneof![Just(PacingRtt::Smoothed), Just(PacingRtt::Current), Just(PacingRtt::Base)];
    (when, rtt)
}

fn congestion_control() -> impl Strategy<Value = Algorithm> {
    let delta = Delta::Rounded;
    let slow_start = prop_oneof![Just(SlowStart::Standard), Just(SlowStart::Hystart)];
    let cubic = slow_start.prop_map(|slow_start| {
        let (c, beta, fast_convergence, reno_friendly) = (0.4, 0.7, true, true);
        Algorithm::Cubic(CubicParameters { c, beta, fast_convergence, reno_friendly, slow_start })
    });
    prop_oneof![
        Just(Algorithm::Tahoe),
        Just(Algorithm::Reno(RenoParameters::PLAIN)),
        Just(Algorithm::Reno(RenoParameters { halving: Halving::Exact, ..RenoParameters::PLAIN })),
        Just(Algorithm::Vegas(VegasParameters { delta, ..VegasParameters::PLAIN })),
        Just(Algorithm::Wtcp),
        Just(Algorithm::Westwood(WestwoodParameters::PLAIN)),
        cubic,
        any::<u64>().prop_map(|seed| Algorithm::Bbr(BbrParameters { seed })),
    ]
}
