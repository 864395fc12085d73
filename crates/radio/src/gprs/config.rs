//! How a bearer is set up.

use base::{Probability, Time};
use link::queue;

use super::air::Errors;
use super::keys::Gprs;

/// A bearer of one mobile.
#[derive(Clone, PartialEq, Debug)]
pub struct GprsConfig {
    /// Time slots towards the mobile and from it: 1 to 8.
    pub slots: [u32; 2],
    /// What waits for the radio: downlink at the end of the core network, uplink in the mobile.
    pub queues: [queue::Config; 2],
    /// How often blocks err.
    pub errors: Errors,
    /// When nothing gets through, in order: each gap ends before the next begins.
    pub gaps: Vec<Gap>,
    /// RLC/MAC and the core network.
    pub gprs: Gprs,
}

impl GprsConfig {
    /// WS (TS 44.060 §9.1.9): by default 64 blocks; with EDGE 64 and twice as many for each slot,
    /// within the limits of Table 9.1.9.2.1.
    pub fn window(&self) -> u32 {
        let [down, up] = self.slots;
        let usual =
            if self.gprs.scheme().is_edge() { 64 + 64 * 2 * down.max(up).min(7) } else { 64 };
        self.gprs.window.unwrap_or(usual)
    }
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
    /// forwarded to the new one; else it is lost.
    Reselection(Probability),
    /// The mobile has stopped listening, until its link is restarted; then everything on its way is
    /// lost.
    Reset,
}
