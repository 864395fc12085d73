//! Configurations drawn at random.

use base::Duration;
use cc::{
    Algorithm, Alpha, BbrParameters, CubicParameters, Growth, Halving, Parameters, RenoParameters,
    SlowStart, WindowRules,
};
use proptest::prelude::*;
use proptest::sample::select;
use tcp::{
    BackOff, Config, EcnFeedback, FackRules, FackWindow, Freeze, Nagle, Pacing, ReceiverKind,
    RecoveryKind, RecoveryRules, RttSampling, SackRule, SpacingRtt, SpuriousTimeouts,
};

/// Any configuration that ends a transfer.
pub(crate) fn config() -> impl Strategy<Value = Config> {
    let numbers = (1_u32..1_500, 1_u32..40, 1_u32..5, 300_u32..200_000);
    let times = (prop::option::of(1_u64..200), 1_u8..4, any::<bool>());
    let switches = any::<[bool; 12]>();
    let back_off =
        prop_oneof![Just(BackOff::Exponential), Just(BackOff::Linear), Just(BackOff::Constant),];
    let schemes = (congestion_control(), recovery(), pacing(), spurious_timeouts(), back_off);
    let later = (any::<bool>(), select(&Nagle::ALL[..]), rules(), any::<bool>());
    // What came later is drawn last, so that the seeds that are kept are of the same cases.
    (numbers, times, switches, schemes, later).prop_map(
        |(
            (mss, window, initial_window, receive_buffer),
            (delay, notices, opens_gradually),
            on,
            (
                (algorithm, control),
                (recovery, sack_rule, window_after_loss),
                (when, spacing_rtt),
                spurious_timeouts,
                back_off,
            ),
            (receive_offload, nagle, rules, is_accurate),
        )| Config {
            congestion_control: Some(algorithm.into()),
            control,
            recovery: Some(recovery),
            sack_rule,
            repair: RecoveryRules {
                fack: FackRules { window: window_after_loss },
                ..RecoveryRules::default()
            },
            pacing: if spacing_rtt.is_none() { when } else { Pacing::Off },
            spacing: if spacing_rtt.is_some() { when } else { Pacing::Off },
            spacing_rtt: spacing_rtt.unwrap_or(SpacingRtt::Current),
            prr: on[10],
            spurious_timeouts,
            mss,
            window,
            initial_window,
            receive_buffer: Some(receive_buffer),
            receiver: if opens_gradually { ReceiverKind::Linux24 } else { ReceiverKind::Plain },
            freeze: Freeze { notices, tr_acks: on[11], ..Freeze::ONCE },
            tick: Duration::from_millis(10),
            min_rto: Duration::from_millis(200),
            back_off,
            rtt_sampling: if on[1] { RttSampling::OnePerWindow } else { RttSampling::EverySegment },
            delayed_ack: delay.map(Duration::from_millis),
            sack: Some(on[6]),
            timestamps: on[7],
            ecn: match (on[8], is_accurate) {
                (false, _) => EcnFeedback::Off,
                (true, false) => EcnFeedback::Classic,
                (true, true) => EcnFeedback::Accurate,
            },
            dsack: on[9],
            receive_offload,
            limited_transmit: on[2],
            slow_start_restart: on[3],
            recover_guard: on[4],
            nagle: if on[5] { nagle } else { Nagle::Off },
            rules,
            time_wait: Duration::from_secs(240),
            ..Config::plain()
        },
    )
}

/// With the rules of sack and fack.
fn recovery() -> impl Strategy<Value = (RecoveryKind, SackRule, FackWindow)> {
    // Sack and fack twice as often: each has two rules.
    let twice = [RecoveryKind::Sack, RecoveryKind::Fack];
    let kinds = select([&RecoveryKind::ALL[..], &twice].concat());
    let sack = prop_oneof![Just(SackRule::Rfc6675), Just(SackRule::Sack1)];
    (kinds, sack, prop_oneof![Just(FackWindow::Halves), Just(FackWindow::Restarts)])
}

fn rules() -> impl Strategy<Value = WindowRules> {
    (select(&Growth::ALL[..]), any::<[bool; 2]>())
        .prop_map(|(growth, [cwnd_validation, abe])| WindowRules { growth, cwnd_validation, abe })
}

fn spurious_timeouts() -> impl Strategy<Value = SpuriousTimeouts> {
    prop_oneof![
        Just(SpuriousTimeouts::Unseen),
        Just(SpuriousTimeouts::FRto),
        Just(SpuriousTimeouts::Eifel),
    ]
}

/// When, and by which round trip if not by the smoothed one.
fn pacing() -> impl Strategy<Value = (Pacing, Option<SpacingRtt>)> {
    let when = prop_oneof![Just(Pacing::Off), Just(Pacing::SlowStart), Just(Pacing::Always)];
    let rtt =
        prop_oneof![Just(None), Just(Some(SpacingRtt::Current)), Just(Some(SpacingRtt::Base)),];
    (when, rtt)
}

fn congestion_control() -> impl Strategy<Value = (Algorithm, Parameters)> {
    let usual = Parameters::default();
    let halving = Halving::Exact;
    let exact = Parameters { reno: RenoParameters { halving }, ..usual };
    let curve = (select(&SlowStart::ALL[..]), select(&Alpha::ALL[..]));
    let cubic = curve.prop_map(move |(slow_start, alpha)| {
        let cubic = CubicParameters { slow_start, alpha, ..usual.cubic };
        (Algorithm::Cubic, Parameters { cubic, ..usual })
    });
    prop_oneof![
        Just((Algorithm::Tahoe, usual)),
        Just((Algorithm::Reno, usual)),
        Just((Algorithm::Reno, exact)),
        Just((Algorithm::Vegas, usual)),
        Just((Algorithm::Wtcp, usual)),
        Just((Algorithm::Westwood, usual)),
        cubic,
        any::<u64>().prop_map(move |seed| {
            let bbr = BbrParameters { seed, ..usual.bbr };
            (Algorithm::Bbr, Parameters { bbr, ..usual })
        }),
        Just((Algorithm::Dctcp, usual)),
        Just((Algorithm::Prague, usual)),
    ]
}
