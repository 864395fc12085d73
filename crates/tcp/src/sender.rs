//! The sending half of a connection.

use std::sync::Arc;

use base::{Duration, Seq, Time};
use cc::{Controller, Loss, LossKind};
use observe::{Observe, TcpFact};

use crate::delivery::Delivery;
use crate::ecn_sender::EcnSender;
use crate::pacing::{Pace, Pacer};
use crate::persist::Persist;
use crate::pieces::Pieces;
use crate::recovery::prr::Prr;
use crate::recovery::{DUPLICATE_THRESHOLD, Order, Recovery};
use crate::rto::Rto;
use crate::scoreboard::Scoreboard;
use crate::spurious::{Cause, Doubt};
use crate::unopened::Unopened;
use crate::{Config, Payload, RttSampling, Shared};

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
    /// RFC 9293 §3.3.1: SND.UNA and SND.NXT. Where losses are repaired in the order of the stream,
    /// `nxt` falls back to `una` after a timeout.
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// The end of what was ever sent.
    pub(crate) max: u64,
    pub(crate) board: Scoreboard,
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
    /// The end of the segment being timed, where one is timed at a time.
    pub(crate) timed: Option<u64>,
    /// When the one that was timed last was sent.
    pub(crate) timed_from: Time,
    pub(crate) persist: Persist,
    /// True if the oldest outstanding segment is to be sent again at once.
    pub(crate) resend: bool,
    pub(crate) last_sent: Option<Time>,
    /// True if the congestion window, and nothing else, held the last segment back.
    pub(crate) window_limited: bool,
    pub(crate) pacer: Pacer,
    pub(crate) ecn: EcnSender,
    /// Where the controller wants to know how fast data are delivered.
    pub(crate) delivery: Option<Box<Delivery>>,
    /// The window on its way down, where it is reduced in proportion.
    pub(crate) prr: Option<Box<Prr>>,
    /// Where losses may turn out to have been none.
    pub(crate) doubt: Option<Box<Doubt>>,
    /// What other connections know.
    pub(crate) inherited: Option<Box<Shared>>,
}

/// What a handshake agreed upon, as far as the sending half is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreement {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// The peer's window in bytes.
    pub window: u64,
    /// The most segments that the congestion window starts with.
    pub initial_window: u32,
    /// Whether the peer acknowledges selectively (RFC 2018).
    pub sack: bool,
    /// Whether segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// Whether the peer understands ECN (RFC 3168).
    pub ecn: bool,
}

/// What a sender needs of its configuration while it runs.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) rtt_sampling: RttSampling,
    pub(crate) limited_transmit: bool,
    pub(crate) slow_start_restart: bool,
    pub(crate) nagle: bool,
    pub(crate) proportional_rate_reduction: bool,
}

/// The window that the peer advertises.
#[derive(Debug)]
pub(crate) struct PeerWindow {
    /// In bytes from `una` on.
    pub(crate) size: u64,
    /// The largest seen.
    pub(crate) largest: u64,
    /// What was sent below here was in flight when it last closed.
    pub(crate) closed_over: u64,
    /// Number and acknowledgement of the segment that it was taken from (RFC 9293's SND.WL1 and
    /// SND.WL2).
    pub(crate) source: Option<(Seq, Seq)>,
}

impl<P: Payload> Sender<P> {
    /// A sender whose first byte has the sequence number `first`. It sends nothing before
    /// [`Sender::start`]. `id` is the number that observers see.
    pub fn new(id: u32, config: &Arc<Config>, first: Seq) -> Self {
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
                proportional_rate_reduction: config.proportional_rate_reduction,
            },
            buffer: Pieces::new(),
            closed: false,
            una: 0,
            nxt: 0,
            max: 0,
            board: Scoreboard::default(),
            peer: PeerWindow { size: 0, largest: 0, closed_over: 0, source: None },
            cwnd: 0,
            ssthresh: 0,
            allowance: 0,
            controller: Box::new(Unopened),
            recovery: Recovery::new(config, false),
            rto: Rto::new(config),
            timer: None,
            timeouts: 0,
            timed: None,
            timed_from: Time::ZERO,
            persist: Persist::default(),
            resend: false,
            last_sent: None,
            window_limited: false,
            pacer: Pacer::new(config.pacing, config.pacing_rtt),
            ecn: EcnSender::default(),
            delivery: None,
            prr: None,
            doubt: None,
            inherited: None,
        }
    }

    /// The connection stands.
    pub fn start<O: Observe>(
        &mut self,
        now: Time,
        config: &Config,
        agreement: &Agreement,
        observe: &mut O,
    ) {
        let Agreement { mss, window, initial_window, sack, timestamps: _, ecn } = *agreement;
        self.cap = self.cap / u64::from(self.mss) * u64::from(mss);
        self.mss = mss;
        self.peer.size = window;
        self.peer.largest = window;
        self.controller = self.first_controller(config, initial_window);
        self.recovery = Recovery::new(config, sack);
        self.delivery = self.controller.wants_rate().then(Box::default);
        self.board.watch_losses(self.delivery.is_some());
        self.ecn.start(ecn);
        self.doubt = Doubt::new(config.spurious_timeouts);
        self.update_window(now, observe);
    }

    /// The controller that the connection begins with: RFC 5681 §3.1, or as others have it
    /// (RFC 9040 §6), unless the SYN was lost.
    fn first_controller(&self, config: &Config, initial_window: u32) -> Box<dyn Controller> {
        let mut limits = config.limits(self.mss, initial_window);
        if let Some(Shared { ssthresh, cwnd, .. }) = self.inherited.as_deref().copied() {
            let segments = |bytes: u64| (bytes / u64::from(self.mss)).min(u64::from(config.window));
            limits.initial_ssthresh = segments(ssthresh).max(2) as u32;
            if initial_window > 1 {
                limits.initial_window = segments(cwnd).max(1) as u32;
            }
        }
        config.congestion_control.controller(&limits)
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

    /// The offset below which the peer has acknowledged everything; a FIN counts as a byte.
    pub const fn acknowledged(&self) -> u64 {
        self.una
    }

    /// True if the retransmission timer ran out too often in a row.
    pub fn is_hopeless(&self) -> bool {
        self.rto.is_hopeless(self.timeouts)
    }

    /// The next deadline.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let late = Time::earlier(self.timer, self.persist.deadline());
        Time::earlier(late, Time::earlier(self.pacer.deadline(), self.recovery.deadline()))
    }

    /// Time has passed: the retransmission timer, the persist timer and those of loss recovery.
    pub fn handle_timeout<O: Observe>(&mut self, now: Time, observe: &mut O) {
        self.persist.handle_timeout(now);
        self.early_timeout(now, observe);
        if self.timer.is_some_and(|timer| timer <= now) {
            self.retransmission_timeout(now, observe);
        }
    }

    /// Bytes from the lowest not acknowledged to the next to send.
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

    /// Tells the controller of each segment found lost since the last call.
    pub(crate) fn tell_losses(&mut self, now: Time) {
        let Some(delivery) = &mut self.delivery else { return };
        for segment in self.board.take_losses() {
            if let Some(lost) = delivery.on_lost(now, &segment) {
                self.controller.on_lost_segment(&lost);
            }
        }
    }

    /// Tells the controller of the loss of the oldest outstanding segment; of a timeout even if
    /// there is none, which opens a window that has closed wholly.
    pub(crate) fn lose(&mut self, now: Time, kind: LossKind) {
        let (sent, transmissions) = match self.board.oldest() {
            Some(oldest) => {
                (oldest.last_at, self.recovery.transmissions(oldest, u64::from(self.mss)))
            }
            None if kind == LossKind::Timeout => (now, 0),
            None => return,
        };
        self.ecn.on_reduction(self.max);
        self.controller.on_loss(&Loss {
            now,
            kind,
            in_flight: self.in_flight(),
            sent,
            transmissions: u32::from(transmissions),
        });
    }

    /// Starts the retransmission timer anew, or stops it when nothing is in flight (RFC 6298
    /// §5.2 and §5.3). A window that has closed wholly (ns-2's Vegas) waits for it, too.
    pub(crate) fn restart_timer(&mut self, now: Time) {
        let waits = self.nxt > self.una || self.controller.window() == 0;
        self.timer = waits.then(|| now + self.rto.current());
    }

    /// Takes the window from the controller and reports it if it moved.
    pub(crate) fn update_window<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let mss = u64::from(self.mss);
        let cwnd = match &self.prr {
            Some(prr) => prr.window,
            None => self.recovery.window(self.controller.window(), mss),
        };
        let granted = cwnd.min(self.cap) + u64::from(self.limited_transmit()) * mss;
        let granted = match self.recovery.burst(&self.board) {
            Some(burst) => granted.min(self.pipe() + u64::from(burst) * mss),
            None => granted,
        };
        self.allowance = self.frto_allowance().unwrap_or(granted);
        let ssthresh = self.controller.ssthresh();
        if (cwnd, ssthresh) != (self.cwnd, self.ssthresh) {
            (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
            observe.tcp(now, self.id, TcpFact::Window { cwnd, ssthresh });
        }
    }

    /// Segments by which new data may exceed the window: RFC 3042 grants as many as there are
    /// duplicate acknowledgements, before these count as a loss. While losses are repaired each
    /// duplicate opens the window itself (RFC 6582 §3.2 step 2); where the scoreboard tells what is
    /// in the network, what was selected has made room already.
    fn limited_transmit(&self) -> u32 {
        let duplicates = self.recovery.duplicates();
        let counts = self.policy.limited_transmit
            && duplicates < DUPLICATE_THRESHOLD
            && !self.recovery.is_recovering();
        match self.recovery.order(&self.board) {
            Order::Stream if counts => duplicates,
            Order::Stream | Order::Lost { .. } => 0,
        }
    }

    /// What the sender paces itself by.
    pub(crate) fn pace(&self) -> Option<Pace> {
        let rate = self.controller.pacing_rate();
        (rate.is_some() || self.pacer.is_on()).then(|| Pace {
            rate,
            cwnd: self.cwnd.min(self.cap),
            ssthresh: self.ssthresh,
            srtt: self.rto.smoothed(),
            base_rtt: self.controller.base_rtt(),
        })
    }

    /// Bytes in the network, as loss recovery counts them.
    pub(crate) fn pipe(&self) -> u64 {
        match self.recovery.order(&self.board) {
            Order::Stream => self.in_flight(),
            Order::Lost { pipe } => pipe,
        }
    }

    /// RFC 6298 §5.4 to 5.6 and RFC 5681 §3.1: everything outstanding counts as lost and is sent
    /// again from the oldest on, with the window that the controller leaves.
    fn retransmission_timeout<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let rto: Duration = self.rto.current();
        observe.tcp(now, self.id, TcpFact::Timeout { offset: self.una, rto });
        self.doubt_loss(Cause::Timeout);
        self.prr = None;
        self.lose(now, LossKind::Timeout);
        if self.board.is_reneged_on() {
            self.board.forget_selections();
            self.recovery.on_reneging(&self.board);
        }
        self.recovery.on_timeout(now, self.max, u64::from(self.mss), &mut self.board);
        self.rto.back_off();
        self.timeouts += 1;
        self.timer = None;
        match self.recovery.order(&self.board) {
            Order::Lost { pipe } if self.peer.size > 0 && self.nxt == self.max => {
                self.timed = None;
                // What still flies must not hold the oldest back.
                self.resend = pipe > 0;
            }
            // In the order of the stream (go-back-N); so, too, where a closed window has to be
            // probed with the oldest, or has been.
            Order::Stream | Order::Lost { .. } => self.go_back(),
        }
        self.update_window(now, observe);
    }

    /// The oldest outstanding segment is the next to send.
    pub(crate) const fn go_back(&mut self) {
        self.timed = None;
        self.resend = false;
        self.nxt = self.una;
    }
}
