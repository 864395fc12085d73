//! The receiving half of a connection.

use base::{Duration, Seq, Time};

use crate::ecn_echo::Echo;
use crate::freeze::Gate;
use crate::pieces::Pieces;
use crate::reassembly::Reassembly;
use crate::timestamps::PeerClock;
use crate::{Payload, Reports};

/// Receives one direction of a stream: puts it in order, hands it to the application, and knows
/// what to acknowledge and how large a window to advertise.
///
/// After [`Receiver::handle_data`] and [`Receiver::read`], see [`Receiver::ack_due`]; when a
/// segment leaves, take its acknowledgement and window with [`Receiver::acknowledge`], and what was
/// agreed upon from [`Receiver::timestamps`], [`Receiver::echo`] and, if it carries nothing,
/// [`Receiver::blocks`]; then read [`Receiver::poll_timeout`].
#[derive(Debug)]
pub struct Receiver<P> {
    pub(crate) id: u32,
    /// The sequence number of offset 0.
    pub(crate) first: Seq,
    pub(crate) mss: u32,
    capacity: u64,
    /// The window is no larger, whatever room there is.
    pub(crate) opened: u32,
    /// Where the window ends, if a relay says so.
    pub(crate) limit: Option<u64>,
    /// Shift of the advertised window (RFC 7323 §2.2).
    pub(crate) scale: u8,
    pub(crate) delay: Option<Duration>,
    /// Whether what arrives in one instant is acknowledged at its end.
    pub(crate) offloads: bool,
    /// In order and not yet read; its end is RFC 9293's RCV.NXT.
    pub(crate) ready: Pieces<P>,
    pub(crate) early: Reassembly<P>,
    /// The offset after the last byte, once the FIN has arrived.
    pub(crate) fin: Option<u64>,
    /// The end of the window that was promised. It never moves back (RFC 9293 §3.8.6). If a relay
    /// says where the window ends, the farthest that it said.
    pub(crate) promised: u64,
    /// The end of the window as the peer read it: scaling rounds the promise up.
    pub(crate) edge: u64,
    pub(crate) ack: AckDue,
    /// Whether the peer is frozen, and how many more acknowledgements advertise that or its end.
    pub(crate) gate: Gate,
    pub(crate) copies: u8,
    /// In-order bytes that arrived since the last acknowledgement.
    pub(crate) unacknowledged: u64,
    /// The largest segment that arrived, in bytes.
    pub(crate) largest: u32,
    pub(crate) reports: Reports,
    /// What the newest segment brought a second time, until it is reported.
    pub(crate) twice: Option<[Seq; 2]>,
    /// The peer's clock, if timestamps were agreed upon.
    pub(crate) peer_clock: Option<PeerClock>,
    pub(crate) echo: Echo,
}

/// Whether to acknowledge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckDue {
    /// There is nothing to acknowledge.
    No,
    /// At this time, unless a segment leaves before.
    At(Time),
    /// Now, on the next segment that leaves.
    Now,
    /// Now, and on a segment of its own, so that it counts as a duplicate (RFC 5681 §2).
    Alone,
}

impl<P: Payload> Receiver<P> {
    /// A receiver of segments of about `mss` bytes with a buffer of `capacity` bytes, which waits
    /// up to `delay` before it acknowledges. It expects nothing before [`Receiver::start`].
    pub fn new(id: u32, mss: u32, capacity: u64, delay: Option<Duration>) -> Self {
        Self {
            id,
            first: Seq::new(0),
            mss,
            capacity,
            opened: u32::MAX,
            limit: None,
            scale: 0,
            delay,
            offloads: false,
            ready: Pieces::new(),
            early: Reassembly::new(),
            fin: None,
            promised: 0,
            edge: 0,
            ack: AckDue::No,
            gate: Gate::Open,
            copies: 0,
            unacknowledged: 0,
            largest: 0,
            reports: Reports::Nothing,
            twice: None,
            peer_clock: None,
            echo: Echo::Unagreed,
        }
    }

    /// If `offloads`, segments that arrive in order in one instant are acknowledged as one, once
    /// [`Receiver::handle_timeout`] says that all are there.
    #[must_use]
    pub const fn offloading(mut self, offloads: bool) -> Self {
        self.offloads = offloads;
        self
    }

    /// The peer's first byte will be number `first`.
    pub fn start(&mut self, first: Seq) {
        self.first = first;
        self.syn_window();
    }

    /// Window scaling was agreed upon, with `scale` for this side; else windows end at 65,535.
    pub fn agree_on_scale(&mut self, scale: Option<u8>) {
        self.scale = scale.unwrap_or(0);
        self.capacity = self.capacity.min(u64::from(u16::MAX) << self.scale);
    }

    /// Takes a piece of what has arrived in order. That frees room in the window.
    pub fn read(&mut self) -> Option<P> {
        let piece = self.ready.pop()?;
        // RFC 9293 §3.8.6.2.2: advertise the room once it amounts to two segments or half the
        // buffer; there is no hurry while half the buffer is promised anyway.
        let half = self.capacity / 2;
        let worth = (2 * u64::from(self.mss)).min(half);
        let wanted = self.promised <= self.next() + half && self.gate == Gate::Open;
        let wide = self.room_edge() >= self.promised + worth;
        if wanted && wide && self.limit.is_none() && !self.is_at_fin() {
            self.ack = self.ack.or_sooner(AckDue::Now);
        }
        Some(piece)
    }

    /// Bytes that wait to be read.
    pub const fn readable(&self) -> u64 {
        self.ready.length()
    }

    /// True if the peer's last byte has been read.
    pub fn is_finished(&self) -> bool {
        self.is_at_fin() && self.ready.length() == 0
    }

    /// Whether to acknowledge.
    pub const fn ack_due(&self) -> AckDue {
        self.ack
    }

    /// The next deadline.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Time> {
        if let AckDue::At(time) = self.ack { Some(time) } else { None }
    }

    /// Time has passed: a delayed acknowledgement may be due.
    pub fn handle_timeout(&mut self, now: Time) {
        if let AckDue::At(time) = self.ack
            && time <= now
        {
            self.ack = AckDue::Now;
        }
    }

    /// The acknowledgement and the window for a segment that leaves now, the window as in the
    /// header field.
    pub fn acknowledge(&mut self) -> (Seq, u16) {
        let window = self.advertise();
        self.ack = if self.copies > 0 { AckDue::Alone } else { AckDue::No };
        self.copies = self.copies.saturating_sub(1);
        self.unacknowledged = 0;
        self.note_marks_told();
        let ack = self.next_seq();
        if let Some(clock) = &mut self.peer_clock {
            clock.acknowledged(ack);
        }
        (ack, window)
    }

    /// The next number expected.
    pub fn next_seq(&self) -> Seq {
        self.first + self.next() as u32 + u32::from(self.is_at_fin())
    }

    /// Bytes that the peer may send from [`Receiver::next_seq`] on.
    pub fn window(&self) -> u32 {
        self.edge.saturating_sub(self.next()) as u32
    }

    /// The window on a SYN, which is never scaled (RFC 7323 §2.2): the first promise.
    pub(crate) fn syn_window(&mut self) -> u16 {
        let window = self.capacity.min(u64::from(self.opened)).min(u64::from(u16::MAX));
        self.promised = self.promised.max(self.next() + window);
        self.edge = self.edge.max(self.promised);
        window as u16
    }

    /// RCV.NXT as an offset.
    pub(crate) const fn next(&self) -> u64 {
        self.ready.end()
    }

    /// True if everything up to the FIN has arrived.
    pub(crate) fn is_at_fin(&self) -> bool {
        self.fin == Some(self.next())
    }

    fn room_edge(&self) -> u64 {
        // An edge that was rounded up to the window's unit lets a few bytes in beyond the capacity.
        let free = || self.capacity.saturating_sub(self.ready.length());
        let room = || free().min(u64::from(self.opened));
        self.limit.unwrap_or_else(|| self.next() + room())
    }

    /// True if the window's edge can move by enough to advertise (RFC 9293 §3.8.6.2.2).
    pub(crate) fn can_widen(&self) -> bool {
        let told = if self.limit.is_some() { self.edge } else { self.promised };
        self.room_edge() >= told + u64::from(self.mss).min(self.capacity / 2)
    }

    /// Moves the window's edge if that is worth a segment or half the buffer (RFC 9293 §3.8.6.2.2),
    /// and returns the header field.
    fn advertise(&mut self) -> u16 {
        if self.gate == Gate::Closed {
            return 0;
        }
        if let Some(limit) = self.limit {
            return self.advertise_up_to(limit);
        }
        if self.can_widen() {
            self.promised = self.room_edge();
        }
        let window = self.promised.saturating_sub(self.next());
        let field = window.div_ceil(1 << self.scale).min(u64::from(u16::MAX));
        self.edge = self.edge.max(self.next() + (field << self.scale));
        field as u16
    }
}

impl AckDue {
    /// The more urgent of two.
    #[inline]
    pub(crate) fn or_sooner(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, due) | (due, Self::No) => due,
            (Self::Alone, _) | (_, Self::Alone) => Self::Alone,
            (Self::Now, _) | (_, Self::Now) => Self::Now,
            (Self::At(one), Self::At(other)) => Self::At(one.min(other)),
        }
    }
}
