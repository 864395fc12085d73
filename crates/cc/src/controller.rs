//! What a controller is told and what it answers.

use std::fmt::Debug;

use base::{Duration, Time};

/// A congestion controller of one connection.
pub trait Controller: Debug + Send {
    /// Bytes were acknowledged for the first time.
    fn on_ack(&mut self, ack: &Ack);

    /// A segment counts as lost.
    fn on_loss(&mut self, loss: &Loss);

    /// Nothing was sent for longer than a retransmission timeout (RFC 5681 §4.1).
    fn on_idle(&mut self);

    /// The congestion window in bytes. A sender keeps no more than this in flight, in whole
    /// segments: the fraction of a segment only tells how far the next one is.
    fn window(&self) -> u64;

    /// The slow-start threshold in bytes.
    fn ssthresh(&self) -> u64;
}

/// An acknowledgement of something new. Offsets count bytes of the stream from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Bytes that it acknowledges for the first time, above zero.
    pub acked: u64,
    /// The lowest offset not acknowledged, after it.
    pub una: u64,
    /// The next offset to send, before anything is sent in answer to it.
    pub nxt: u64,
    /// The round-trip time of the newest segment it covers, if that segment was sent once.
    pub rtt: Option<Duration>,
}

impl Ack {
    /// Bytes in flight after it.
    pub const fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }
}

/// How a loss was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossKind {
    /// By duplicate acknowledgements.
    DuplicateAcks,
    /// By Vegas's fine-grained timer, on an acknowledgement.
    FineTimeout,
    /// By the retransmission timer.
    Timeout,
}

/// A loss, or what counts as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// When it was found.
    pub now: Time,
    /// How.
    pub kind: LossKind,
    /// Bytes in flight then.
    pub in_flight: u64,
    /// When the lost segment was last sent.
    pub sent: Time,
    /// How often it had been sent.
    pub transmissions: u32,
}

/// The frame in which a controller moves its window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Window to start with, in segments.
    pub initial_window: u32,
    /// Slow-start threshold to start with, in segments.
    pub initial_ssthresh: u32,
    /// The window never grows beyond this, in segments.
    pub maximum_window: u32,
}
