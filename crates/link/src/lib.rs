//! Wired links: how fast they send, what waits ahead of them and what they lose.
//!
//! * [`Pipe`]: a constant rate and a drop-tail queue, at one event a packet;
//! * [`Link`]: everything else, at two: transmission done, where something waits, and arrival;
//! * [`queue`]: drop-tail, RED, `CoDel`, PIE, `DualPI2`, CAKE and those in which flows take turns;
//! * [`loss`]: independent, in bursts, listed, in outages;
//! * [`disorder`]: jitter, reordering, duplicates and bit errors;
//! * [`Bottleneck`] and [`queue::Queues`]: what a scenario may say of both directions;
//! * [`Trace`]: when a recorded link could send. A [`base::Schedule`] says what changes when.

mod bottleneck;
mod counters;
pub mod disorder;
mod link;
pub mod loss;
mod pipe;
pub mod queue;
mod server;
mod trace;

pub use bottleneck::{Bottleneck, LinkStep, ReverseLink, Traces};
pub use counters::{Counters, Drops};
pub use link::{Dropped, Link, LinkConfig, Output};
pub use pipe::{Config, Pipe};
pub use server::Service;
pub use trace::{OPPORTUNITY_BYTES, Trace, TraceError};

/// What a link carries.
pub trait Load {
    /// Size at the IP layer in bytes.
    fn bytes(&self) -> u32;

    /// True if it carries neither a SYN nor payload.
    fn is_pure_ack(&self) -> bool {
        false
    }

    /// Sets Congestion Experienced (RFC 3168 §5), or says `false` where the ends cannot read it.
    fn mark(&mut self) -> bool {
        false
    }

    /// True if a queue treats it as a packet of L4S: ECT(1) or CE (RFC 9331 §5.1).
    fn is_l4s(&self) -> bool {
        false
    }

    /// The flow that it belongs to, where queues tell flows apart.
    fn flow(&self) -> u64 {
        0
    }

    /// The hosts from which it comes and to which it goes, where queues tell hosts apart.
    fn hosts(&self) -> [u32; 2] {
        [0, 0]
    }

    /// The code point of its service (DSCP, RFC 2474 §3), where queues or bearers are chosen by it.
    fn dscp(&self) -> u8 {
        0
    }
}
