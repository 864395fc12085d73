//! What an acknowledgement does to the sending half (RFC 9293 §3.10.7.4, fifth check).

use base::{Duration, SackBlocks, Seq, Time};
use cc::{Ack, Growth, LossKind};
use observe::{Context, Observe, RttSample, TcpFact};

use super::Sender;
use crate::Payload;
use crate::delivery::Delivery;
use crate::ecn_feedback::{Arrived, MarkReport};
use crate::recovery::prr::Progress;
use crate::recovery::{AckInfo, RecoveryAction};
use crate::scoreboard::{SegmentStatus, Sent};
use crate::spurious::{Cause, Evidence, reported};

/// The acknowledgement and the window of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Acknowledgement {
    /// The segment's own sequence number.
    pub seq: Seq,
    /// The next number that the peer expects.
    pub ack: Seq,
    /// The peer's window in bytes, scaled.
    pub window: u64,
    /// True if the segment carries nothing else: only then can it count as a duplicate
    /// (RFC 5681 §2).
    pub pure: bool,
    /// What arrived beyond it (RFC 2018), where that was agreed upon.
    pub sack: SackBlocks,
    /// This side's clock as the peer echoes it (RFC 7323 §3.2).
    pub echo: Option<u32>,
    /// True if the peer echoes congestion (RFC 3168 §6.1.3).
    pub ece: bool,
    /// What the peer says was marked, with accurate ECN (RFC 9768 §3.2).
    pub marks: Option<MarkReport>,
}

/// How an acknowledgement was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckOutcome {
    /// It was taken in, or was harmlessly old.
    Accepted,
    /// It is about something never sent, or older than any window (RFC 5961 §5): answer with an
    /// acknowledgement and look no further.
    Unacceptable,
}

impl<P: Payload> Sender<P> {
    /// The peer acknowledged.
    pub fn handle_ack(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        arrival: &Acknowledgement,
    ) -> AckOutcome {
        let outcome = self.judge(arrival.ack);
        if outcome == AckOutcome::Accepted {
            self.take_ack(cx, arrival);
        }
        outcome
    }

    /// The same where the acknowledgement was judged to be acceptable.
    pub(crate) fn take_ack(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        arrival: &Acknowledgement,
    ) {
        let ahead = self.buffer.ahead(arrival.ack);
        if ahead < 0 {
            return;
        }
        let window = self.peer.size();
        self.peer.update(arrival.seq, arrival.ack, arrival.window);
        if window == 0 && self.peer.size() > 0 {
            self.resume(cx.now);
        }
        let una = self.buffer.una() + ahead as u64;
        if arrival.ece && self.ecn.on_echo(una, self.buffer.max()) {
            let before = self.controller.window();
            self.lose(cx.now, LossKind::Ecn);
            self.begin_reduction_after_mark(before);
        }
        let selected = self.take_selections(cx, una, arrival);
        self.hear_of_duplicates(cx, una, arrival);
        if ahead > 0 {
            self.new_ack(cx, una, selected, arrival);
        } else {
            let repeats = self.in_flight() > 0 && self.is_duplicate(arrival, window, &selected);
            if arrival.marks.is_some() {
                let packets = selected.packets.max(u64::from(repeats));
                self.hear_of_marks(cx.now, arrival, &NewlyAcked { packets, ..selected }, false);
            }
            if repeats {
                self.duplicate_ack(cx, selected);
            }
        }
        if self.peer.size() == 0 && self.in_flight() > 0 {
            self.withdraw();
        }
    }

    /// RFC 5961 §5: SND.UNA - MAX.SND.WND ≤ SEG.ACK ≤ SND.NXT.
    pub(crate) fn judge(&self, ack: Seq) -> AckOutcome {
        let ahead = self.buffer.ahead(ack);
        if ahead > self.buffer.outstanding() as i64 || ahead < -(self.peer.largest() as i64) {
            AckOutcome::Unacceptable
        } else {
            AckOutcome::Accepted
        }
    }

    /// The peer closed its window below what is in flight (RFC 9293 §3.8.6): the persist timer
    /// alone runs, and nothing counts as lost.
    fn withdraw(&mut self) {
        self.peer.close_over(self.buffer.nxt());
        self.go_back();
        self.timer.stop();
        self.timer.forgive();
        self.recovery.rest();
    }

    /// The window opens again. What was in flight may still be, unless nothing of it was
    /// acknowledged for a retransmission timeout: then it is retransmitted from the oldest on (as
    /// in BSD).
    fn resume(&mut self, now: Time) {
        if !self.persist.has_run_out() {
            self.buffer.go_on_from(self.peer.closed_over());
            self.restart_timer(now);
        }
    }

    /// Whether an acknowledgement is a duplicate: with a scoreboard, if it selects something new
    /// (RFC 6675 §2); else, if it repeats the last one (RFC 5681 §2).
    fn is_duplicate(&self, arrival: &Acknowledgement, window: u64, selected: &NewlyAcked) -> bool {
        if self.recovery.counts_selections() {
            selected.delivered > 0
        } else {
            arrival.pure && arrival.window == window
        }
    }

    fn new_ack(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        una: u64,
        mut newly: NewlyAcked,
        arrival: &Acknowledgement,
    ) {
        let echo = arrival.echo;
        let [from, to] = self.buffer.acknowledge(una);
        let acked = to - from;
        self.timer.forgive();
        let beyond = newly.delivered;
        self.take_acknowledged(cx, &mut newly, echo);
        self.hear_of_marks(cx.now, arrival, &newly, true);
        if acked > 0 {
            let mss = u64::from(self.mss);
            newly.rtt = self.recovery.take_round_trip(cx.now, [from, to], mss, newly.rtt);
        }
        if acked > 0 {
            cx.tcp(self.id, TcpFact::Acked { offset: to });
        }
        let age = self.recovery.age(cx.now, acked, &self.buffer.board);
        if let Some(age) = age {
            self.time_by_age(cx.now, age);
        } else {
            if let Some(rtt) = newly.rtt {
                self.pacer.sample(rtt);
            }
            self.timer.on_ack(cx.now, una, newly.rtt, echo);
        }
        // A window probe's byte that was acknowledged is no progress of what was in flight.
        if una <= self.peer.closed_over() {
            self.persist.restart(cx.now, &self.timer);
        }
        if let Some(spurious) = &mut self.spurious {
            let finding = spurious.on_new_ack(&Evidence { una, echo, once: newly.once });
            self.conclude(finding, cx.now, newly.rtt);
        }
        if self.recovery.deflates() {
            self.controller.deflate();
        }
        let lost = self.buffer.board.lost_segments();
        let recovering = self.recovery.is_in_fast_recovery();
        let ack = AckInfo { acked, selected: beyond, ..self.ack_info(cx.now, &newly) };
        let action = self.recovery.on_new_ack(&ack, &mut self.buffer.board);
        if action != RecoveryAction::RepairImpatiently && age.is_none() {
            self.restart_timer(cx.now);
        }
        self.follow(cx, action);
        if acked > 0 {
            // RFC 3168 §6.1.2: an echo of congestion does not open the window.
            let holds = arrival.ece || self.holds_window_after(recovering);
            self.tell_controller(cx, acked, &newly, holds);
        }
        let good = self.buffer.board.lost_segments() <= lost;
        self.reduce(newly.delivered, if good { Progress::Good } else { Progress::Doubtful });
        self.arm_probe(cx.now);
        self.update_window(cx);
    }

    /// Takes in what an acknowledgement of `newly` says was marked. With the first mark of a window
    /// of data an episode begins (RFC 3168 §6.1.2).
    #[inline]
    fn hear_of_marks(
        &mut self,
        now: Time,
        arrival: &Acknowledgement,
        newly: &NewlyAcked,
        advances: bool,
    ) {
        let Some(report) = &arrival.marks else { return };
        let arrived = Arrived { packets: newly.packets, bytes: newly.delivered, advances };
        let marked = self.ecn.hear_of_marks(report, &arrived);
        let (una, max) = (self.buffer.una(), self.buffer.max());
        if marked && self.ecn.on_echo(una, max) {
            let before = self.controller.window();
            self.tell_loss(now, LossKind::Ecn, self.last_sent.unwrap_or(now), 1);
            self.begin_reduction_after_mark(before);
        }
    }

    fn duplicate_ack(&mut self, cx: &mut Context<'_, impl Observe>, selected: NewlyAcked) {
        if let Some(spurious) = &mut self.spurious {
            let order = self.recovery.order(&self.buffer.board);
            let una = self.buffer.una();
            let evidence = Evidence { una, echo: None, once: selected.once };
            let finding = spurious.on_duplicate_ack(order, &evidence);
            self.conclude(finding, cx.now, None);
        }
        // Duplicates that select nothing new do not restart the timer, or it would never fire.
        let age =
            self.recovery.age(cx.now, 0, &self.buffer.board).filter(|_| selected.delivered > 0);
        if let Some(age) = age {
            self.time_by_age(cx.now, age);
        }
        let ack = AckInfo { selected: selected.delivered, ..self.ack_info(cx.now, &selected) };
        let action = self.recovery.on_duplicate_ack(&ack, &mut self.buffer.board);
        self.follow(cx, action);
        self.recovery.hand_inflation_to(&mut *self.controller);
        let opens = self.recovery.opens_with_duplicates();
        if opens || selected.delivered > 0 {
            let acked = if opens { ack.mss } else { 0 };
            self.tell_controller(cx, acked, &selected, self.recovery.holds_window());
        }
        self.reduce(selected.delivered, Progress::Doubtful);
        self.arm_probe(cx.now);
        self.update_window(cx);
    }

    /// ns-2's Fack: the timer starts with the timeout as it was before the acknowledgement.
    fn time_by_age(&mut self, now: Time, age: Duration) {
        self.restart_timer(now);
        self.timer.on_age(now, self.buffer.una(), age);
    }

    fn ack_info(&self, now: Time, newly: &NewlyAcked) -> AckInfo {
        AckInfo {
            now,
            acked: 0,
            selected: 0,
            una: self.buffer.una(),
            nxt: self.buffer.nxt(),
            max: self.buffer.max(),
            mss: u64::from(self.mss),
            rtt: newly.rtt,
        }
    }

    /// True if an acknowledgement leaves the window as it is, where losses were being repaired
    /// before it. One that ends this leaves ssthresh (RFC 6582 §3.2 step 3; RFC 9937 §6.1); in ns-2
    /// it opens the window like any other.
    fn holds_window_after(&self, recovering: bool) -> bool {
        let counts_bytes = self.config.rules.growth != Growth::Acknowledgements;
        self.recovery.holds_window()
            || (recovering && counts_bytes)
            || self.is_reducing_after_mark()
    }

    fn tell_controller(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        acked: u64,
        newly: &NewlyAcked,
        recovering: bool,
    ) {
        self.tell_losses(cx.now);
        let before = if cx.is_watched() { self.controller.base_rtt() } else { None };
        self.controller.on_ack(&Ack {
            now: cx.now,
            acked,
            delivered: newly.delivered,
            una: self.buffer.una(),
            nxt: self.buffer.nxt(),
            pipe: self.pipe(),
            rtt: newly.rtt,
            recovering,
            window_limited: self.usage.is_limited(),
            most_in_flight: self.usage.most(),
            rate: self.delivery.as_mut().and_then(|delivery| delivery.take_sample()),
            marked: self.ecn.take_marked(),
        });
        if cx.is_watched()
            && let Some(rtt) = self.controller.base_rtt().filter(|&rtt| before != Some(rtt))
        {
            cx.tcp(self.id, TcpFact::BaseRtt { rtt });
        }
    }

    pub(super) fn follow(&mut self, cx: &mut Context<'_, impl Observe>, action: RecoveryAction) {
        match action {
            RecoveryAction::Wait => return,
            RecoveryAction::Retransmit(kind) => {
                self.begin_spurious_check(Cause::Acknowledgements);
                self.lose(cx.now, kind);
                self.begin_reduction();
                self.timer.stop_timing();
                self.buffer.set_resend(true);
                if self.recovery.backs_off() {
                    self.timer.back_off();
                }
                self.restart_timer(cx.now);
            }
            RecoveryAction::GoBack(kind) => {
                self.begin_spurious_check(Cause::Acknowledgements);
                self.lose(cx.now, kind);
                self.go_back();
                self.timer.stop();
            }
            RecoveryAction::Repair | RecoveryAction::RepairImpatiently => {
                self.buffer.set_resend(true);
            }
        }
        let offset = self.buffer.first_to_repair();
        cx.tcp(self.id, TcpFact::FastRetransmit { offset });
    }

    /// An acknowledgement of everything below `una` may report what arrived twice (RFC 2883). Once
    /// that holds for every retransmission since the last loss, nothing had been lost: the window
    /// is restored.
    fn hear_of_duplicates(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        una: u64,
        arrival: &Acknowledgement,
    ) {
        let twice = reported(&arrival.sack, arrival.ack).map(|block| {
            let base = arrival.ack;
            block.map(|edge| una.saturating_add_signed(i64::from(edge.distance(base))))
        });
        if let Some(block) = twice
            && self.spurious.as_mut().is_some_and(|spurious| spurious.on_reported(block))
        {
            self.restore_window(cx.now);
            self.update_window(cx);
        }
        if let Some(rack) = self.recovery.rack() {
            rack.set_smoothed(self.timer.smoothed());
            if twice.is_some() {
                rack.on_duplicate_report(una, self.buffer.nxt());
            }
            self.hear_of_probe(cx.now, una, arrival, twice);
        }
    }

    /// Takes in the selective acknowledgements beyond `una`.
    fn take_selections(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        una: u64,
        arrival: &Acknowledgement,
    ) -> NewlyAcked {
        let mut newly = NewlyAcked::default();
        let (delivery, recovery) = (&mut self.delivery, &mut self.recovery);
        for &block in arrival.sack.as_slice() {
            if let Some([from, to]) = self.buffer.offsets_of(una, block) {
                let (id, end) = (self.id, self.buffer.end());
                self.buffer.board.select(from, to, |segment| {
                    newly.take(segment, cx.now, delivery.as_deref_mut());
                    recovery.on_arrival(cx.now, segment, arrival.echo);
                    report_round_trip(cx, segment, id, end);
                });
            }
        }
        newly
    }

    /// Takes what is acknowledged off the scoreboard; `newly` begins with what was selected.
    fn take_acknowledged(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        newly: &mut NewlyAcked,
        echo: Option<u32>,
    ) {
        let una = self.buffer.una();
        let mut rest = self.buffer.board.oldest().map_or(una, |oldest| oldest.offset);
        while let Some(segment) = self.buffer.board.pop_below(una) {
            rest = segment.end();
            if segment.status != SegmentStatus::Selected {
                newly.take(&segment, cx.now, self.delivery.as_deref_mut());
                self.recovery.on_arrival(cx.now, &segment, echo);
                if !newly.resent {
                    report_round_trip(cx, &segment, self.id, self.buffer.end());
                }
            }
        }
        if newly.resent {
            // A segment behind a retransmitted one was held up by it: its time is no round trip.
            newly.rtt = None;
        }
        newly.delivered += una.saturating_sub(rest);
        self.buffer.board.unselect_below(una);
        if let Some(delivery) = &mut self.delivery {
            delivery.forget_below(una);
        }
    }
}

/// What an acknowledgement newly acknowledges or selects.
#[derive(Clone, Copy, Debug, Default)]
struct NewlyAcked {
    /// Their bytes.
    delivered: u64,
    /// The round-trip time of the newest, if it was sent once and did not wait for a
    /// retransmission.
    rtt: Option<Duration>,
    /// The lowest offset of those sent once.
    once: Option<u64>,
    /// True if one of them had been sent again.
    resent: bool,
    /// How many packets they were.
    packets: u64,
}

impl NewlyAcked {
    fn take(&mut self, segment: &Sent, now: Time, delivery: Option<&mut Delivery>) {
        self.delivered += u64::from(segment.length);
        self.packets += 1;
        self.rtt = round_trip(segment, now);
        self.resent |= segment.transmissions > 1;
        if segment.transmissions == 1 {
            self.once = Some(self.once.map_or(segment.offset, |once| once.min(segment.offset)));
        }
        if let Some(delivery) = delivery {
            delivery.on_arrived(now, segment);
        }
    }
}

/// Karn's algorithm: a retransmitted segment gives no round-trip time.
fn round_trip(segment: &Sent, now: Time) -> Option<Duration> {
    (segment.transmissions == 1).then(|| now - segment.first_at)
}

/// Reports the round-trip time of `segment` to observers, if it carried data (which end at `end`).
fn report_round_trip(cx: &mut Context<'_, impl Observe>, segment: &Sent, id: u32, end: u64) {
    if cx.is_watched()
        && segment.offset < end
        && let Some(rtt) = round_trip(segment, cx.now)
    {
        cx.tcp(id, TcpFact::Rtt(RttSample { offset: segment.offset, rtt }));
    }
}
