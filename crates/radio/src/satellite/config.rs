//! How a bearer is set up.

use base::{Duration, Probability, Rate, Schedule, Time};
use link::queue;

use super::orbit::Orbit;
use crate::gprs::RadioBursts;

/// A bearer of one terminal.
#[derive(Clone, PartialEq, Debug)]
pub struct SatelliteConfig {
    /// What carries packets down to the terminal, and up from it.
    pub carriers: [Carrier; 2],
    /// What waits for either.
    pub queues: [queue::Config; 2],
    /// How long a packet is on its way.
    pub path: Path,
    /// When nothing is sent, in order: each gap ends before the next begins.
    pub gaps: Vec<[Time; 2]>,
    /// Losses in bursts, alike in both directions.
    pub bursts: Option<RadioBursts>,
    /// What happens whenever the path changes.
    pub change: Change,
}

/// What sends in one direction.
#[derive(Clone, PartialEq, Debug)]
pub struct Carrier {
    /// Its rate, in the mean over all frames; `None` while it sends nothing.
    pub rate: Schedule<Option<Rate>>,
    /// When it may send.
    pub access: Access,
}

/// When a terminal, or the gateway for it, may send.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Access {
    /// Always.
    Own,
    /// In the frames that other users of the beam leave.
    Shared(Background),
    /// In the frames that it is granted.
    OnDemand(Assignment),
}

/// Other users of a beam: each frame is one user's, drawn anew.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Background {
    /// How long a frame is.
    pub frame: Duration,
    /// The share of frames that they leave, 1 % or more.
    pub left: Probability,
}

/// Capacity on demand: at the beginning of each frame a terminal requests what waits and was not
/// requested yet. It gets it in later frames, as soon as they have room; what it does not use then
/// is lost. Bursts and requests are never lost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Assignment {
    /// How long a frame is.
    pub frame: Duration,
    /// From a request to the first frame that it may be granted.
    pub wait: Duration,
    /// What each frame carries without a request.
    pub committed: Option<Rate>,
}

/// How long packets are on their way, one way.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// In the air.
    pub air: Air,
    /// Behind the gateway, and in modems.
    pub ground: Schedule<Duration>,
    /// Whether a packet may arrive before one that was sent before it, when the way becomes
    /// shorter.
    pub reorders: bool,
}

/// The way through the air.
#[derive(Clone, PartialEq, Debug)]
pub enum Air {
    /// As long as was recorded.
    Recorded(Schedule<Duration>),
    /// To a satellite that stays where it is.
    Fixed(Duration),
    /// To one satellite after the other.
    Passing(Passing),
}

impl Air {
    /// For how long each satellite serves; `None` if they do not change.
    pub(crate) const fn slot(&self) -> Option<Duration> {
        match self {
            Self::Passing(passing) => Some(passing.slot),
            Self::Recorded(_) | Self::Fixed(_) => None,
        }
    }
}

/// Satellites that follow each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Passing {
    /// Where they are.
    pub orbit: Orbit,
    /// For how long each serves.
    pub slot: Duration,
    /// The most that the way behind one of them is longer, by other satellites and gateways.
    pub detour: Duration,
}

/// What happens at the end of each satellite's slot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Change {
    /// For how long nothing is sent then.
    pub pause: Duration,
    /// Whether what is in the air then is lost.
    pub loses: bool,
    /// Whether the bad state of losses in bursts begins then.
    pub begins_bad: bool,
}
