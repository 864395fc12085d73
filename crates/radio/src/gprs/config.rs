//! How a bearer is set up.

use std::fmt;

use base::{Duration, Probability, Time};
use link::queue;
use settings::{Chance, Count, Fault, Table, section};

use super::air::{Errors, State};
use super::coding::CodingScheme;
use super::core::CoreDelay;

/// A bearer of one mobile.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Towards the mobile.
    pub downlink: Channel,
    /// From the mobile.
    pub uplink: Channel,
    /// What radio blocks are coded with: the first block, where it is adapted.
    pub scheme: CodingScheme,
    /// Whether errors change it.
    pub adaptation: Option<Adaptation>,
    /// Selective repeat, alike in both directions.
    pub arq: Arq,
    /// How long TBFs take to be set up.
    pub set_up: SetUp,
    /// One radio block in so many goes to other messages of the network (PACCH), while there is a
    /// downlink TBF; `None` for none.
    pub control_every: Option<u32>,
    /// How often blocks err.
    pub errors: Errors,
    /// When nothing gets through, in order.
    pub gaps: Vec<Gap>,
    /// An outage longer than this loses the TBFs, and with them what waits at the base station
    /// and what has been sent in part.
    pub keep: Duration,
}

/// One direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Channel {
    /// Time slots: 1 to 8.
    pub slots: u32,
    /// Through the core network: ahead of the radio downlink, after it uplink.
    pub core: CoreDelay,
    /// What waits for the radio: downlink at the end of the core network, uplink in the mobile.
    pub queue: queue::Config,
    /// A packet that has waited longer is discarded when its turn comes: the PDU lifetime of TS
    /// 48.018 §6.1 downlink.
    pub lifetime: Option<Duration>,
    /// How long a TBF is kept with nothing to send: delayed release (R99) downlink, extended
    /// uplink TBF (R4); zero releases at once.
    pub keep: Duration,
}

/// Selective repeat (TS 44.060 §9.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arq {
    /// WS: 64 blocks in GPRS, 64 to 1024 in EDGE (§9.1.9).
    pub window: u32,
    /// Every so many blocks the receiver is asked for a report.
    pub poll_blocks: u32,
    /// From a block with a poll to when its sender has understood the report.
    pub round_trip: Duration,
}

section! {
    /// `[radio.gprs.adaptation]`: a coding scheme goes up or down by the share of blocks that
    /// reports ask for again. Defaults: osmo-pcu.
    #[derive(Copy)]
    pub struct Adaptation {
        /// Below it the next faster one.
        pub up: Probability as Chance = Probability::new(0.1).unwrap_or_default();
        /// Above it the next slower one.
        pub down: Probability as Chance = Probability::new(0.33).unwrap_or_default();
        /// So many blocks are judged before either. Default: as many as between polls.
        pub blocks: u32 as Count<u32, 1, 10_000> = 20;
    }
    check(Self::check)
}

impl Adaptation {
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.up > self.down {
            let message = format!("{at}.up must not be above {at}.down");
            return tree.clash_at(at, &["up", "down"], message);
        }
        Ok(())
    }
}

/// How long TBFs take to be set up: uniform between limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SetUp {
    /// Either direction, where the other has a channel on which to say so (PACCH), or the mobile
    /// still listens.
    pub associated: [Duration; 2],
    /// Downlink otherwise: common control channel.
    pub common: [Duration; 2],
    /// Uplink otherwise: random access and assignment.
    pub access: [Duration; 2],
    /// For how long the mobile listens after a release: T3192.
    pub t3192: Duration,
    /// Uplink, while the downlink has a TBF.
    pub coupling: Coupling,
}

/// How a mobile asks for an uplink TBF while it receives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coupling {
    /// By random access, as if it did not receive.
    Off,
    /// In its Packet Downlink Ack/Nack (TS 44.060 §8.1.2.5), but not sooner after the last time
    /// than the network grants it.
    Piggybacked(Duration),
}

/// A time in which nothing gets through.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gap {
    /// From then on.
    pub from: Time,
    /// Until then.
    pub to: Time,
    /// Why.
    pub kind: GapKind,
}

/// Why nothing gets through.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GapKind {
    /// No coverage.
    Outage,
    /// The mobile goes to another cell; with this probability what waits in the old one is
    /// forwarded to the new one, else it is lost.
    Reselection(Probability),
    /// The mobile has stopped to listen, until it is made to begin anew; then all that is on its
    /// way is lost.
    Reset,
}

impl Config {
    /// Refuses what no bearer can work with.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for Channel { slots, core, .. } in [self.downlink, self.uplink] {
            if !(1..=8).contains(&slots) {
                return Err(ConfigError::Slots(slots));
            }
            if !(0.0..=3.0).contains(&core.jitter) {
                return Err(ConfigError::Jitter(core.jitter));
            }
        }
        let Arq { window, poll_blocks, round_trip } = self.arq;
        if !(1..=1024).contains(&window) || poll_blocks == 0 {
            return Err(ConfigError::Window(window));
        }
        if round_trip < LEAST_ROUND_TRIP {
            return Err(ConfigError::RoundTrip(round_trip));
        }
        let SetUp { associated, common, access, .. } = self.set_up;
        if let Some([low, high]) = [associated, common, access].into_iter().find(|[a, b]| a > b) {
            return Err(ConfigError::SetUp(low, high));
        }
        let ends = |gap: &Gap| gap.from < gap.to;
        let follow = |pair: &[Gap]| pair[0].to <= pair[1].from;
        if !(self.gaps.iter().all(ends) && self.gaps.windows(2).all(follow)) {
            return Err(ConfigError::Gaps);
        }
        match &self.errors {
            Errors::Constant(_) => Ok(()),
            Errors::States(states) if states.is_empty() => Err(ConfigError::States),
            Errors::States(states) => {
                let lasts = |state: &State| state.mean.is_none_or(|mean| mean > Duration::ZERO);
                let are_well = states.iter().all(lasts);
                if are_well { Ok(()) } else { Err(ConfigError::States) }
            }
        }
    }
}

/// A report goes out three block periods after its poll at the soonest (TS 44.060 §10.4.5), takes
/// one, and is understood in the next.
pub(crate) const LEAST_ROUND_TRIP: Duration = Duration::from_millis(100);

/// What is wrong with a configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConfigError {
    /// No time slot, or more than a frame has.
    Slots(u32),
    /// A jitter that is no number from 0 to 3.
    Jitter(f64),
    /// A window that cannot be, or no poll.
    Window(u32),
    /// A round trip of the link control that is too short.
    RoundTrip(Duration),
    /// Limits of a set-up time that are reversed.
    SetUp(Duration, Duration),
    /// Gaps that overlap, are out of order, or end before they have begun.
    Gaps,
    /// No state of the radio, or one that takes no time.
    States,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slots(slots) => write!(f, "{slots} time slots: must be 1 to 8"),
            Self::Jitter(jitter) => write!(f, "jitter {jitter}: must be 0 to 3"),
            Self::Window(window) => write!(
                f,
                "window of {window} blocks: must be 1 to 1024, with a poll at least every block"
            ),
            Self::RoundTrip(trip) => {
                write!(f, "round trip {trip:?} of the link control: must be 100 ms or more")
            }
            Self::SetUp(low, high) => write!(f, "set-up from {low:?} to {high:?}: reversed"),
            Self::Gaps => f.write_str("gaps must end after they begin and follow each other"),
            Self::States => f.write_str("states of the radio must be there and last some time"),
        }
    }
}

impl std::error::Error for ConfigError {}
