//! Losses on either leg of a split connection: a box repairs its leg as swiftly as the two ends
//! would repair the whole path.

use std::sync::Arc;

use base::{Duration, Probability, Time};
use cc::Algorithm;
use middlebox::{Itcp, Leg, Managed, PerFlowSplit, SocketBuffers, SplitConfig};
use observe::MiddleboxFact;
use proptest::prelude::*;
use tcp::{
    Config, FackRules, FackWindow, Length, RecoveryKind, RecoveryRules, SackRule, SpuriousTimeouts,
};

use crate::support::{
    FIRST_MOBILE, LossPattern, Losses, Network, Opening, Passing, Way, fixed, modern,
};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(87_380, 131_072);

/// Each recovery that a leg may use.
const RECOVERIES: [(RecoveryKind, SackRule, FackWindow); 9] = [
    (RecoveryKind::Tahoe, SackRule::Rfc6675, FackWindow::Halves),
    (RecoveryKind::Reno, SackRule::Rfc6675, FackWindow::Halves),
    (RecoveryKind::NewReno, SackRule::Rfc6675, FackWindow::Halves),
    (RecoveryKind::Sack, SackRule::Sack1, FackWindow::Halves),
    (RecoveryKind::Sack, SackRule::Rfc6675, FackWindow::Halves),
    (RecoveryKind::Fack, SackRule::Rfc6675, FackWindow::Halves),
    (RecoveryKind::Fack, SackRule::Rfc6675, FackWindow::Restarts),
    (RecoveryKind::Vegas, SackRule::Rfc6675, FackWindow::Halves),
    (RecoveryKind::Rack, SackRule::Rfc6675, FackWindow::Halves),
];

/// Patterns over which times are added up, each over a longer radio than the one before. How the
/// losses of a single one fall may decide whether a leg has a timeout and its ends have none:
/// whether duplicates after F-RTO's new data begin a recovery (RFC 5682 §2.1, RFC 6582 §3.2), or a
/// probe finds the tail. So may a radio by which two round trips of a leg take just less than the
/// shortest timeout, and two of its ends just more.
const PATTERNS: u64 = 8;

const TESTS: [SpuriousTimeouts; 3] =
    [SpuriousTimeouts::Unseen, SpuriousTimeouts::FRto, SpuriousTimeouts::Eifel];

/// A box that splits, with such senders.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Itcp,
    Split,
}

impl Kind {
    fn machine(self, tcp: &Config) -> Box<dyn Managed<Length>> {
        let (plain, tcp) = (SplitConfig::PLAIN, Arc::new(tcp.clone()));
        match self {
            Self::Itcp => Box::new(Itcp::indirect(plain, &tcp, BUFFERS)),
            Self::Split => Box::new(PerFlowSplit::per_flow(plain, &tcp, BUFFERS)),
        }
    }
}

/// A host that has more to send than the connection takes at once, and what the box's senders are.
fn sender(
    (recovery, sack_rule, window): (RecoveryKind, SackRule, FackWindow),
    spurious_timeouts: SpuriousTimeouts,
) -> Config {
    Config {
        recovery: Some(recovery),
        sack_rule,
        repair: RecoveryRules { fack: FackRules { window }, ..RecoveryRules::default() },
        sack: Some(true),
        spurious_timeouts,
        window: 1_000,
        receive_buffer: Some(1_000_000),
        nagle: tcp::Nagle::Classic,
        ..modern()
    }
}

/// A whole flight is lost, and less than a segment waits behind it. After the timeout, or RACK's
/// probe in its place, no round trip of 600 ms passes without a retransmission.
#[test]
fn after_a_timeout_acknowledgements_release_what_is_lost() {
    for kind in [Kind::Itcp, Kind::Split] {
        for (recovery, spurious) in
            RECOVERIES.into_iter().flat_map(|recovery| TESTS.map(|test| (recovery, test)))
        {
            let tcp = Config { initial_window: 8, ..sender(recovery, spurious) };
            let mut net = Network::new(1, kind.machine(&tcp));
            let (client, server) = net.open(&Opening::of(5_000));
            // The first carries the last of the handshake.
            net.path(FIRST_MOBILE, Way::Out).lost = (1..=8).collect();
            net.write(server, 8_300);
            let whole = |net: &Network<Length>| net.read(client) == 8_300;
            assert!(net.run_while(Duration::from_secs(60), whole), "{kind:?} {tcp:?}");
            let again = |fact: &MiddleboxFact| matches!(fact, MiddleboxFact::Retransmitted { .. });
            let facts = net.facts.iter().filter(|(_, fact)| again(fact));
            let resent: Vec<Time> = facts.map(|(at, _)| *at).collect();
            let gap = resent.windows(2).map(|pair| pair[1] - pair[0]).max();
            assert!(resent.len() >= 7, "{kind:?} {recovery:?} {spurious:?}: {resent:?}");
            let most = Duration::from_millis(700);
            assert!(gap <= Some(most), "{kind:?} {recovery:?} {spurious:?}: {resent:?}");
        }
    }
}

/// A download through a network that loses.
#[derive(Clone, Debug)]
struct Case {
    kind: Kind,
    recovery: (RecoveryKind, SackRule, FackWindow),
    spurious: SpuriousTimeouts,
    reno: bool,
    nagle: bool,
    /// Whether the host's timer hears of the handshake, which is the whole path's with the box too.
    times_handshake: bool,
    initial_window: u32,
    /// Whether the mobile acknowledges selectively.
    sack: bool,
    /// The leg that loses, one way.
    leg: Leg,
    pattern: LossPattern,
    /// One way, of the wire and of the radio.
    delays_ms: [u64; 2],
    /// Of the radio, in bytes per second.
    rate: u64,
    bytes: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let kind = prop::sample::select(vec![Kind::Itcp, Kind::Split]);
    let schemes = (kind, prop::sample::select(&RECOVERIES[..]), prop::sample::select(&TESTS[..]));
    let leg = prop::sample::select(vec![Leg::Wired, Leg::Radio]);
    let runs =
        prop_oneof![(Just(1_u32), prop_oneof![Just(0.0), 0.0..1.0]), (2_u32..=8, Just(0.0)),];
    // In packets: three later ones would tell of a loss. RACK tolerates a quarter of the shortest
    // round trip, which a leg has shorter than its ends.
    let disorder = prop_oneof![Just(0.0), 0.0..2.0];
    let losses = (leg, any::<u64>(), 40_u32..120, 0.0..1.0, runs, disorder);
    let path = ([1_u64..60, 10_u64..400], 40_000_u64..100_000, 100_000_u64..400_000);
    (schemes, any::<[bool; 3]>(), losses, path).prop_map(
        |(schemes, [reno, nagle, sack], losses, (delays_ms, rate, bytes))| {
            let (leg, seed, apart, likely, (run, again), disorder) = losses;
            let packet_ns = 1_052.0e9 / leg_rate(leg, rate) as f64;
            let [wired, radio] = delays_ms.map(|delay| 2.0e6 * delay as f64);
            let round_trip_ns = match leg {
                Leg::Wired => wired,
                Leg::Radio => radio,
            };
            let late_ns = (disorder * packet_ns).min(round_trip_ns / 4.0);
            let probability = |value| Probability::new(value).expect("a probability");
            let pattern = LossPattern {
                seed,
                from: 32,
                likely: (probability(likely), apart),
                run,
                gap: 16,
                again: probability(again),
                disorder: Duration::from_nanos(late_ns as u64),
            };
            Case {
                kind: schemes.0,
                recovery: schemes.1,
                spurious: schemes.2,
                reno,
                nagle,
                times_handshake: false,
                initial_window: 4,
                sack,
                leg,
                pattern,
                delays_ms,
                rate,
                bytes,
            }
        },
    )
}

/// All that there is to send is under way at once, in full segments, and lost.
fn flight() -> impl Strategy<Value = Case> {
    (case(), 2_u32..=24).prop_map(|(case, run)| {
        let (likely, again) = ((Probability::ALWAYS, run + 1), Probability::NEVER);
        let pattern = LossPattern { from: 0, likely, run, gap: 1, again, ..case.pattern };
        let (initial_window, bytes) = (run, u64::from(run) * 1_000);
        Case { pattern, initial_window, bytes, nagle: true, times_handshake: true, ..case }
    })
}

/// Bytes per second: segments never arrive at once, or one acknowledgement would tell of several.
const fn leg_rate(leg: Leg, radio: u64) -> u64 {
    match leg {
        Leg::Wired => 1_000_000,
        Leg::Radio => radio,
    }
}

impl Case {
    /// What waits for the radio stays well below the shortest timeout: else it is up to
    /// milliseconds whether one comes needlessly.
    fn sender(&self) -> Config {
        let algorithm = if self.reno { Algorithm::Reno } else { Algorithm::Cubic };
        Config {
            congestion_control: Some(algorithm.into()),
            nagle: if self.nagle { tcp::Nagle::Classic } else { tcp::Nagle::Off },
            window: 24,
            initial_window: self.initial_window,
            ..sender(self.recovery, self.spurious)
        }
    }

    /// Seconds that [`PATTERNS`] like its own take together.
    fn take(&self, middlebox: impl Fn() -> Box<dyn Managed<Length>>) -> f64 {
        let [wired, radio] = self.delays_ms;
        let cases = (0..PATTERNS).map(|nth| Self {
            pattern: LossPattern { seed: self.pattern.seed.wrapping_add(nth), ..self.pattern },
            delays_ms: [wired, radio * (PATTERNS + nth) / PATTERNS],
            ..self.clone()
        });
        cases.map(|case| case.took(middlebox())).sum()
    }

    /// Seconds until the mobile has all of it.
    fn took(&self, middlebox: Box<dyn Managed<Length>>) -> f64 {
        let mut net = Network::new(0, middlebox);
        for (host, delay) in [fixed(0), FIRST_MOBILE].into_iter().zip(self.delays_ms) {
            for way in [Way::In, Way::Out] {
                let path = net.path(host, way);
                path.delay = Duration::from_millis(delay);
                path.rate = Some(leg_rate(Leg::Wired, self.rate));
            }
        }
        net.path(FIRST_MOBILE, Way::Out).rate = Some(leg_rate(Leg::Radio, self.rate));
        // A leg has no timestamps of its own.
        let (sack, times_handshake) = (Some(self.sack), self.times_handshake);
        let server_config = Config { sack, timestamps: false, times_handshake, ..self.sender() };
        let client_config = server_config.clone();
        let opening = Opening { client_config, server_config, ..Opening::of(5_000) };
        let path = match self.leg {
            Leg::Wired => net.path(fixed(0), Way::In),
            Leg::Radio => net.path(FIRST_MOBILE, Way::Out),
        };
        path.losses = Some(Losses::new(self.pattern, opening.server_isn + 1));
        let (client, server) = net.open(&opening);
        net.write(server, self.bytes);
        let whole = |net: &Network<Length>| net.read(client) == self.bytes;
        let done = net.run_while(Duration::from_secs(100_000), whole);
        assert!(done, "{self:?}: {} of {}", net.read(client), self.bytes);
        (net.now - Time::ZERO).as_secs_f64()
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 256,
        ..ProptestConfig::default()
    })]

    /// Whatever is lost, and on which leg.
    #[test]
    fn a_split_is_no_slower_than_its_ends(case in case()) {
        let whole = case.take(|| Box::<Passing<Length>>::default());
        let split = case.take(|| case.kind.machine(&case.sender()));
        prop_assert!(split <= 1.3 * whole, "{split} s, {whole} s without the box");
    }

    /// Even with less than a segment behind the flight, which waits until it is acknowledged
    /// (RFC 9293 §3.7.4): for a round trip, and as long as the mobile delays that. Sent at once, it
    /// would tell the ends of the loss.
    #[test]
    fn a_split_repairs_a_flight_as_swiftly_as_its_ends(case in flight(), more in 1_u64..1_000) {
        let whole = case.took(Box::<Passing<Length>>::default());
        let longer = Case { bytes: case.bytes + more, ..case };
        let split = longer.took(longer.kind.machine(&longer.sender()));
        let round_trips = longer.delays_ms.map(|delay| 0.002 * delay as f64).iter().sum::<f64>();
        let waits = round_trips + 0.1 + 2_104.0 / longer.rate as f64;
        prop_assert!(split <= 1.3 * whole + waits, "{split} s, {whole} s without the box");
    }
}
