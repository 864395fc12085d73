//! The sending half of a connection.

use base::{Duration, Observe, Seq, TcpFact, Time};
use cc::{Controller, Loss, LossKind};

use crate::persist::Persist;
use crate::pieces::Pieces;
use crate::recovery::{DUPLICATE_THRESHOLD, Recovery};
use crate::rto::Rto;
use crate::sent::Outstanding;
use crate::{Config, Payload, RttSampling};

/// Sends one direction of a stream: what was written goes out in segments, as the two windows
/// allow, until it is acknowledged.
///
/// Offsets count bytes of the stream from 0; a FIN takes the offset after the last byte. After
/// [`Sender::write`], [`Sender::close`], [`Sender::handle_ack`] and [`Sender::handle_timeout`],
/// poll [`Sender::poll_output`] until `None` and then read [`Sender::poll_timeout`].
#[derive(Debug)]
pub struct Sender<P> {
    pub(crate) id: u32,
    /// The sequence number of offset 0.
    pub(crate) first: Seq,
    pub(crate) mss: u32,
    /// The most that may be in flight, in bytes.
    pub(crate) cap: u64,
    pub(crate) policy: Policy,
    /// Written and not yet acknowledged.
    pub(crate) buffer: Pieces<P>,
    /// True once nothing more will be written.
    pub(crate) closed: bool,
    /// RFC 9293 §3.3.1: SND.UNA and SND.NXT. After a timeout `nxt` falls back to `una`.
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// The end of what was ever sent.
    pub(crate) max: u64,
    pub(crate) outstanding: Outstanding,
    pub(crate) peer: PeerWindow,
    pub(crate) controller: Box<dyn Controller>,
    pub(crate) recovery: Recovery,
    /// The windows as last reported, in bytes; `cwnd` with fast recovery's inflation.
    cwnd: u64,
    ssthresh: u64,
    /// What may be in flight, in bytes, as far as this side decides.
    pub(crate) allowance: u64,
    pub(crate) rto: Rto,
    /// When the retransmission timer runs out.
    pub(crate) timer: Option<Time>,
    /// Timeouts since something new was acknowledged.
    pub(crate) timeouts: u32,
    /// The end of the segment being timed and when it was sent, where one is timed at a time.
    pub(crate) timed: Option<(u64, Time)>,
    pub(crate) persist: Persist,
    /// True if the oldest outstanding segment is to be sent again at once.
    pub(crate) resend: bool,
    pub(crate) last_sent: Option<Time>,
}

/// What a sender needs of its configuration while it runs.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) rtt_sampling: RttSampling,
    pub(crate) limited_transmit: bool,
    pub(crate) slow_start_restart: bool,
    pub(crate) nagle: bool,
}

/// The window that the peer advertises.
#[derive(Debug)]
pub(crate) struct PeerWindow {
    /// In bytes from `una` on.
    pub(crate) size: u64,
    /// The largest seen.
    pub(crate) largest: u64,
    /// Number and acknowledgement of the segment that it was taken from (RFC 9293's SND.WL1 and
    /// SND.WL2).
    pub(crate) source: Option<(Seq, Seq)>,
}

impl<P: Payload> Sender<P> {
    /// A sender whose first byte has the sequence number `first`. It sends nothing before
    /// [`Sender::start`]. `id` is the number that observers see.
    pub fn new(id: u32, config: &Config, first: Seq) -> Self {
        let controller = config.controller(config.mss, config.initial_window);
        Self {
            id,
            first,
            mss: config.mss,
            cap: u64::from(config.window) * u64::from(config.mss),
            policy: Policy {
                rtt_sampling: config.rtt_sampling,
                limited_transmit: config.limited_transmit,
                slow_start_restart: config.slow_start_restart,
                nagle: config.nagle,
            },
            buffer: Pieces::new(),
            closed: false,
            una: 0,
            nxt: 0,
            max: 0,
            outstanding: Outstanding::default(),
            peer: PeerWindow { size: 0, largest: 0, source: None },
            cwnd: 0,
            ssthresh: 0,
            allowance: 0,
            controller,
            recovery: Recovery::new(config),
            rto: Rto::new(config.rto),
            timer: None,
            timeouts: 0,
            timed: None,
            persist: Persist::default(),
            resend: false,
            last_sent: None,
        }
    }

    /// The connection stands: the peer takes `window` bytes in segments of at most `mss`, and
    /// `controller` says how many may be in flight.
    pub fn start<O: Observe>(
        &mut self,
        now: Time,
        mss: u32,
        window: u64,
        controller: Box<dyn Controller>,
        observe: &mut O,
    ) {
        self.cap = self.cap / u64::from(self.mss) * u64::from(mss);
        self.mss = mss;
        self.peer.size = window;
        self.peer.largest = window;
        self.controller = controller;
        self.update_window(now, observe);
    }

    /// Takes in bytes to send. After [`Sender::close`] they are ignored.
    pub fn write(&mut self, payload: P) {
        if !self.closed {
            self.buffer.push(payload);
        }
    }

    /// Nothing more will be written: a FIN follows the last byte.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Bytes written and not yet acknowledged.
    pub const fn unacknowledged(&self) -> u64 {
        self.buffer.length()
    }

    /// True if the FIN was acknowledged.
    pub const fn is_finished(&self) -> bool {
        self.closed && self.una > self.buffer.end()
    }

    /// True if the retransmission timer ran out too often in a row.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.rto.is_hopeless(self.timeouts)
    }

    /// The next deadline.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        earlier(self.timer, self.persist.deadline())
    }

    /// Time has passed: the retransmission timer and the persist timer.
    pub fn handle_timeout<O: Observe>(&mut self, now: Time, observe: &mut O) {
        self.persist.handle_timeout(now);
        if self.timer.is_some_and(|timer| timer <= now) {
            self.retransmission_timeout(now, observe);
        }
    }

    /// Bytes in flight: sent since the last timeout and not acknowledged.
    pub const fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// The sequence number at `offset`.
    pub(crate) fn seq(&self, offset: u64) -> Seq {
        self.first + offset as u32
    }

    /// The sequence number for a segment that carries nothing: after all that was sent, but
    /// within the peer's window, or the peer would not look at it.
    pub(crate) fn idle_seq(&self) -> Seq {
        self.seq(self.max.min(self.una + self.peer.size))
    }

    /// Tells the controller of the loss of the oldest outstanding segment.
    pub(crate) fn lose(&mut self, now: Time, kind: LossKind) {
        let Some(&oldest) = self.outstanding.oldest() else { return };
        self.controller.on_loss(&Loss {
            now,
            kind,
            in_flight: self.in_flight(),
            sent: oldest.last_at,
            transmissions: oldest.transmissions,
        });
    }

    /// Starts the retransmission timer anew, or stops it when nothing is in flight (RFC 6298
    /// §5.2 and §5.3).
    pub(crate) fn restart_timer(&mut self, now: Time) {
        self.timer = (self.nxt > self.una).then(|| now + self.rto.current());
    }

    /// Takes the window from the controller and reports it if it moved.
    pub(crate) fn update_window<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let mss = u64::from(self.mss);
        let cwnd = self.controller.window() + u64::from(self.recovery.inflation()) * mss;
        self.allowance = cwnd.min(self.cap) + u64::from(self.limited_transmit()) * mss;
        let ssthresh = self.controller.ssthresh();
        if (cwnd, ssthresh) != (self.cwnd, self.ssthresh) {
            (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
            observe.tcp(now, self.id, TcpFact::Window { cwnd, ssthresh });
        }
    }

    /// Segments by which new data may exceed the window: RFC 3042 grants as many as there are
    /// duplicate acknowledgements, before these count as a loss.
    fn limited_transmit(&self) -> u32 {
        let duplicates = self.recovery.duplicates();
        if self.policy.limited_transmit && duplicates < DUPLICATE_THRESHOLD {
            duplicates
        } else {
            0
        }
    }

    /// RFC 6298 §5.4 to 5.6 and RFC 5681 §3.1: everything outstanding is sent again from the
    /// oldest on (go-back-N), with a window of one segment.
    fn retransmission_timeout<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let rto: Duration = self.rto.current();
        observe.tcp(now, self.id, TcpFact::Timeout { offset: self.una, rto });
        self.lose(now, LossKind::Timeout);
        self.recovery.on_timeout(self.max);
        self.rto.back_off();
        self.timeouts += 1;
        self.timed = None;
        self.resend = false;
        self.nxt = self.una;
        self.timer = None;
        self.update_window(now, observe);
    }
}

/// The earlier of two deadlines.
pub(crate) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
