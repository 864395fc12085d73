//! The sending half of a connection.

mod ack_in;
mod data_out;
mod limit;
mod path_mtu;
mod rack_tlp;
mod reduction;
mod undo;

use std::sync::Arc;

use base::{Duration, Flags, Seq, Time};
use cc::{Clocks, Controller, EcnFeedback, Loss, LossKind};
use observe::{Context, Observe, SendLimit, TcpFact};

pub use ack_in::{AckOutcome, Acknowledgement};
pub use data_out::Departure;
pub use path_mtu::Larger;

use crate::cwnd_usage::CwndUsage;
use crate::delivery::Delivery;
use crate::ecn_sender::EcnSender;
use crate::ecn_setup::Passage;
use crate::handshake::reflects_syn_ack;
use crate::pacing::{Pace, Pacer};
use crate::peer_window::PeerWindow;
use crate::persist::Persist;
use crate::recovery::prr::Prr;
use crate::recovery::{self, DUPLICATE_THRESHOLD, Recovery, RepairOrder};
use crate::retransmission_timer::RetransmissionTimer;
use crate::send_buffer::SendBuffer;
use crate::shared::ShareState;
use crate::spurious::{Cause, SpuriousDetector};
use crate::unopened::Unopened;
use crate::{Config, Payload, Segment, Shared};

/// Sends one direction of a stream: what was written goes out in segments, as the two windows
/// allow, until it is acknowledged.
///
/// Offsets count bytes of the stream from 0; a FIN takes the offset after the last byte. After
/// [`Sender::write`], [`Sender::close`], [`Sender::handle_ack`] and [`Sender::handle_timeout`],
/// poll [`Sender::poll_output`] until `None` and then read [`Sender::poll_timeout`].
#[derive(Debug)]
pub struct Sender<P> {
    pub(crate) id: u32,
    config: Arc<Config>,
    mss: u32,
    buffer: SendBuffer<P>,
    peer: PeerWindow,
    controller: Box<dyn Controller>,
    recovery: Box<dyn Recovery>,
    /// The most that is allowed in flight, in bytes.
    cap: u64,
    /// The windows as last reported, in bytes; `cwnd` with fast recovery's inflation.
    cwnd: u64,
    ssthresh: u64,
    /// What this side allows in flight, in bytes.
    allowance: u64,
    /// The window on its way down, where it is reduced in proportion.
    prr: Option<Box<Prr>>,
    /// True if the congestion window, and nothing else, held the last segment back.
    window_limited: bool,
    usage: CwndUsage,
    /// The end of the last short segment.
    short_end: u64,
    /// True if short segments are never held back.
    no_delay: bool,
    /// What was last reported to keep it from sending more.
    limit: Option<SendLimit>,
    /// For data, and before that for the SYN.
    pub(crate) timer: RetransmissionTimer,
    persist: Persist,
    last_sent: Option<Time>,
    pacer: Pacer,
    ecn: EcnSender,
    /// Where the controller wants to know how fast data are delivered.
    delivery: Option<Box<Delivery>>,
    /// Where losses may turn out to be spurious.
    spurious: Option<Box<SpuriousDetector>>,
    /// What other connections know.
    inherited: Option<Box<Shared>>,
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
    /// How the peer tells of marks.
    pub ecn: EcnFeedback,
}

impl<P: Payload> Sender<P> {
    /// A sender whose first byte has the sequence number `first`. It sends nothing before
    /// [`Sender::start`]. `id` is the number that observers see.
    pub fn new(id: u32, config: &Arc<Config>, first: Seq) -> Self {
        Self {
            id,
            config: Arc::clone(config),
            mss: config.mss,
            buffer: SendBuffer::new(first),
            peer: PeerWindow::default(),
            controller: Box::new(Unopened),
            recovery: recovery::recovery(config, false),
            cap: 0,
            cwnd: 0,
            ssthresh: 0,
            allowance: 0,
            prr: None,
            window_limited: false,
            usage: CwndUsage::default(),
            short_end: 0,
            no_delay: false,
            limit: None,
            timer: RetransmissionTimer::new(config),
            persist: Persist::default(),
            last_sent: None,
            pacer: Pacer::new(config.pace()),
            ecn: EcnSender::default(),
            delivery: None,
            spurious: None,
            inherited: None,
        }
    }

    /// The connection is established.
    pub fn start(&mut self, cx: &mut Context<'_, impl Observe>, agreement: &Agreement) {
        let Agreement { mss, window, initial_window, sack, ecn } = *agreement;
        self.mss = mss;
        self.cap = u64::from(self.config.window) * u64::from(mss);
        self.peer = PeerWindow::new(window);
        let limits = self.config.limits(mss, initial_window);
        self.controller = self.config.first_controller(&limits, self.inherited.as_deref());
        self.recovery = recovery::recovery(&self.config, sack);
        self.delivery = self.controller.wants_rate().then(Box::default);
        self.buffer.board.watch_losses(self.delivery.is_some());
        self.controller.on_feedback(ecn);
        self.ecn.start(ecn, self.controller.codepoint(), mss);
        self.spurious = SpuriousDetector::new(self.config.spurious_timeouts);
        self.update_window(cx);
    }

    /// The handshake says more of ECN, by `segment`, which ended it: what became of this side's
    /// SYN, and whether both sides may have agreed upon different things.
    pub(crate) fn hear_of_handshake(
        &mut self,
        passage: Passage,
        segment: &Segment<P>,
        has_fallen_back: bool,
    ) {
        self.ecn.hear_of_passage(passage, !segment.has(Flags::SYN));
        if segment.has(Flags::SYN) || reflects_syn_ack(segment) {
            self.ecn.hear_of_bytes(segment.header.options.ecn_bytes.as_ref());
        }
        if has_fallen_back {
            self.ecn.send_not_capable();
        }
    }

    /// Payload bytes of a full segment.
    pub(crate) const fn mss(&self) -> u32 {
        self.mss
    }

    /// Packets that were marked, as far as the peer has told (RFC 9768); none without accurate ECN.
    pub fn marked_packets(&self) -> u64 {
        self.ecn.marked_packets()
    }

    /// Begins with what other connections know.
    pub(crate) fn inherit(&mut self, shared: &Shared) {
        if self.config.share_state != ShareState::Careful {
            self.timer.inherit(shared.srtt, shared.rttvar);
        }
        self.inherited = Some(Box::new(*shared));
    }

    pub(crate) const fn has_inherited(&self) -> bool {
        self.inherited.is_some()
    }

    /// What it knows of the path to its peer, once it has measured a round trip of data.
    pub(crate) fn shared(&self) -> Option<Shared> {
        let (srtt, rttvar) = self.timer.measured()?;
        Some(Shared {
            at: self.last_sent?,
            srtt,
            rttvar,
            ssthresh: self.controller.ssthresh(),
            cwnd: self.controller.window(),
            retained: self.controller.retained(),
        })
    }

    /// The handshake took `rtt`.
    pub(crate) fn time_handshake(&mut self, now: Time, rtt: Duration) {
        self.know_round_trip(now, rtt);
        self.pacer.sample(rtt);
    }

    /// Feeds the retransmission timer with the round-trip time of a handshake that the caller
    /// performed (RFC 6298 §2.2).
    pub fn know_round_trip(&mut self, now: Time, rtt: Duration) {
        self.timer.sample(now, rtt);
    }

    /// Short segments are never held back, whatever the configuration says (`TCP_NODELAY`).
    pub const fn set_no_delay(&mut self) {
        self.no_delay = true;
    }

    /// Takes in bytes to send. After [`Sender::close`] they are ignored.
    pub fn write(&mut self, payload: P) {
        self.buffer.write(payload);
    }

    /// Nothing more will be written: a FIN follows the last byte.
    pub fn close(&mut self) {
        self.buffer.close();
    }

    /// Takes back bytes that were never sent; nothing more will be written.
    pub(crate) fn break_off(&mut self) {
        self.buffer.break_off();
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.buffer.is_closed()
    }

    /// Bytes written and not yet acknowledged.
    pub const fn unacknowledged(&self) -> u64 {
        self.buffer.length()
    }

    /// True if the FIN was acknowledged.
    pub const fn is_finished(&self) -> bool {
        self.buffer.is_finished()
    }

    /// The offset below which the peer has acknowledged everything; a FIN counts as a byte.
    pub const fn acknowledged(&self) -> u64 {
        self.buffer.una()
    }

    /// True if the retransmission timer ran out too often in a row.
    pub fn is_hopeless(&self) -> bool {
        self.timer.is_hopeless()
    }

    /// Gives congestion control both clocks.
    pub(crate) fn on_clocks(&mut self, clocks: &Clocks) {
        self.controller.on_clocks(clocks);
    }

    /// The path to the peer has changed. A sender that paces by its own smallest round-trip time
    /// forgets that if its controller forgets its own, and else keeps it.
    pub(crate) fn on_path_change(&mut self, now: Time) {
        let before = self.controller.base_rtt();
        self.controller.on_path_change(now);
        if before.is_some() && self.controller.base_rtt().is_none() {
            self.pacer.forget_base();
        }
    }

    /// The next deadline.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let late = Time::earlier(self.timer.deadline(), self.persist.deadline());
        Time::earlier(late, Time::earlier(self.pacer.deadline(), self.recovery.deadline()))
    }

    /// Time has passed: the retransmission timer, the persist timer and those of loss recovery.
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        self.persist.handle_timeout(cx.now);
        self.early_timeout(cx);
        if self.timer.deadline().is_some_and(|deadline| deadline <= cx.now) {
            self.retransmission_timeout(cx);
        }
    }

    /// Bytes from SND.UNA to SND.NXT.
    pub const fn in_flight(&self) -> u64 {
        self.buffer.in_flight()
    }

    /// The sequence number for a segment that carries nothing: after all that was sent, but
    /// within the peer's window, or the peer would not look at it.
    pub(crate) fn idle_seq(&self) -> Seq {
        self.buffer.seq(self.buffer.max().min(self.peer_edge()))
    }

    /// The end of the peer's window.
    fn peer_edge(&self) -> u64 {
        self.buffer.una() + self.peer.size()
    }

    /// Tells the controller of each segment found lost since the last call.
    #[inline]
    fn tell_losses(&mut self, now: Time) {
        let Some(delivery) = &mut self.delivery else { return };
        for segment in self.buffer.board.take_losses() {
            if let Some(lost) = delivery.on_lost(now, &segment) {
                self.controller.on_lost_segment(&lost);
            }
        }
    }

    /// Tells the controller of the loss of the oldest outstanding segment; of a timeout even if
    /// nothing is outstanding, since that opens a window that has closed wholly.
    fn lose(&mut self, now: Time, kind: LossKind) {
        let (sent, transmissions) = match self.buffer.board.oldest() {
            Some(oldest) => {
                (oldest.last_at, self.recovery.transmissions(oldest, u64::from(self.mss)))
            }
            None if kind == LossKind::Timeout => (now, 0),
            None => return,
        };
        self.tell_loss(now, kind, sent, transmissions);
    }

    /// Tells the controller of the loss of a segment that was last `sent` then.
    fn tell_loss(&mut self, now: Time, kind: LossKind, sent: Time, transmissions: u16) {
        let after_mark = self.is_of_mark(kind, transmissions);
        if kind != LossKind::Ecn && !after_mark {
            self.ecn.on_reduction(self.buffer.max());
        }
        self.controller.on_loss(&Loss {
            now,
            kind,
            in_flight: self.in_flight(),
            sent,
            transmissions: u32::from(transmissions),
            after_mark,
        });
    }

    /// The last loss was spurious: restores the window.
    fn restore_window(&mut self, now: Time) {
        self.prr = None;
        self.controller.on_undo(now);
    }

    /// Starts the retransmission timer anew, or stops it when nothing is in flight (RFC 6298 §5.2
    /// and §5.3). A congestion window of zero (ns-2's Vegas) waits for it, too.
    fn restart_timer(&mut self, now: Time) {
        if self.in_flight() > 0 || self.controller.window() == 0 {
            self.timer.restart(now);
        } else {
            self.timer.stop();
        }
    }

    /// Takes the window from the controller and reports it if it moved.
    fn update_window(&mut self, cx: &mut Context<'_, impl Observe>) {
        let mss = u64::from(self.mss);
        let cwnd = match &self.prr {
            Some(prr) => prr.window(),
            None => self.recovery.window(self.controller.window(), mss),
        };
        let granted = cwnd.min(self.cap) + u64::from(self.limited_transmit()) * mss;
        let granted = match self.recovery.burst(&self.buffer.board) {
            Some(burst) => granted.min(self.pipe() + u64::from(burst) * mss),
            None => granted,
        };
        let spurious = self.spurious.as_ref();
        self.allowance = spurious.and_then(|spurious| spurious.allowance(mss)).unwrap_or(granted);
        let ssthresh = self.controller.ssthresh();
        if (cwnd, ssthresh) != (self.cwnd, self.ssthresh) {
            (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
            cx.tcp(self.id, TcpFact::Window { cwnd, ssthresh });
        }
    }

    /// Segments by which new data may exceed the window: RFC 3042 grants as many as there are
    /// duplicate acknowledgements, before these count as a loss. While losses are repaired each
    /// duplicate opens the window itself (RFC 6582 §3.2 step 2); where the scoreboard counts what
    /// is in the network, what was selected has made room already.
    fn limited_transmit(&self) -> u32 {
        let duplicates = self.recovery.duplicates();
        let counts = (1..DUPLICATE_THRESHOLD).contains(&duplicates)
            && self.config.has_limited_transmit()
            && !self.recovery.is_recovering()
            && self.order() == RepairOrder::Stream;
        if counts { duplicates } else { 0 }
    }

    /// What the sender paces itself by.
    fn pace(&self) -> Option<Pace> {
        let rate = self.controller.pacing_rate();
        (rate.is_some() || self.pacer.is_on()).then(|| Pace {
            rate,
            cwnd: self.cwnd.min(self.cap),
            ssthresh: self.ssthresh,
            srtt: self.timer.smoothed(),
            base_rtt: self.controller.base_rtt(),
        })
    }

    fn order(&self) -> RepairOrder {
        self.recovery.order(&self.buffer.board)
    }

    /// Bytes in the network, as loss recovery counts them.
    fn pipe(&self) -> u64 {
        match self.order() {
            RepairOrder::Stream => self.in_flight(),
            RepairOrder::Lost { pipe } => pipe,
        }
    }

    /// RFC 6298 §5.4 to 5.6 and RFC 5681 §3.1: everything outstanding counts as lost and is sent
    /// again from the oldest on, with the window that the controller leaves.
    fn retransmission_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        let rto = self.timer.current();
        cx.tcp(self.id, TcpFact::Timeout { offset: self.buffer.una(), rto });
        self.begin_spurious_check(Cause::Timeout);
        self.prr = None;
        self.lose(cx.now, LossKind::Timeout);
        if self.buffer.board.is_reneged_on() {
            self.buffer.board.forget_selections();
            self.recovery.on_reneging(&self.buffer.board);
        }
        let (max, mss) = (self.buffer.max(), u64::from(self.mss));
        self.recovery.on_timeout(cx.now, max, mss, &mut self.buffer.board);
        self.timer.run_out();
        match self.order() {
            RepairOrder::Lost { pipe } if self.peer.size() > 0 && self.buffer.nxt() == max => {
                self.timer.stop_timing();
                // What is still in flight must not hold the oldest back.
                self.buffer.set_resend(pipe > 0);
            }
            // In the order of the stream (go-back-N); so, too, where a closed window has to be
            // probed with the oldest, or has been.
            RepairOrder::Stream | RepairOrder::Lost { .. } => self.go_back(),
        }
        self.update_window(cx);
    }

    /// Sends from the oldest outstanding segment on.
    fn go_back(&mut self) {
        self.timer.stop_timing();
        self.buffer.go_back();
    }
}
