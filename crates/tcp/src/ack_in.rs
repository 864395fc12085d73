//! What an acknowledgement does to the sending half (RFC 9293 §3.10.7.4, fifth check).

use base::{Duration, SackBlocks, Seq, Time};
use cc::{Ack, LossKind};
use observe::{Observe, RttSample, TcpFact};

use crate::delivery::Delivery;
use crate::recovery::prr::Progress;
use crate::recovery::{Recovery, Standing, Verdict};
use crate::scoreboard::{Fate, Sent, block_offsets};
use crate::spurious::{Cause, Evidence};
use crate::{Payload, RttSampling, Sender, timestamps};

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
}

/// What became of an acknowledgement.
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
    pub fn handle_ack<O: Observe>(
        &mut self,
        now: Time,
        arrival: &Acknowledgement,
        observe: &mut O,
    ) -> AckOutcome {
        let outcome = self.judge(arrival.ack);
        let ahead = i64::from(arrival.ack.distance(self.seq(self.una)));
        if outcome == AckOutcome::Unacceptable || ahead < 0 {
            return outcome;
        }
        let same_window = arrival.window == self.peer.size;
        let was_closed = self.peer.size == 0;
        self.update_peer_window(arrival);
        if was_closed && self.peer.size > 0 {
            self.resume(now);
        }
        let una = self.una + ahead as u64;
        if arrival.ece && self.ecn.on_echo(una, self.max) && !self.recovery.is_recovering() {
            self.lose(now, LossKind::Ecn);
        }
        let selected = self.take_selections(now, una, arrival, observe);
        self.hear_of_duplicates(now, una, arrival, observe);
        if ahead > 0 {
            self.new_ack(now, una, selected, arrival.echo, observe);
        } else if self.nxt > self.una && self.is_duplicate(arrival, same_window, &selected) {
            self.duplicate_ack(now, selected, observe);
        }
        if self.peer.size == 0 && self.nxt > self.una {
            self.withdraw();
        }
        AckOutcome::Accepted
    }

    /// RFC 5961 §5: SND.UNA - MAX.SND.WND ≤ SEG.ACK ≤ SND.NXT.
    pub(crate) fn judge(&self, ack: Seq) -> AckOutcome {
        let ahead = i64::from(ack.distance(self.seq(self.una)));
        let sent = (self.max - self.una) as i64;
        if ahead > sent || ahead < -(self.peer.largest as i64) {
            AckOutcome::Unacceptable
        } else {
            AckOutcome::Accepted
        }
    }

    /// The peer closed its window over what is in flight (RFC 9293 §3.8.6): it is probed in the
    /// standard way. Nothing counts as lost and no other timer runs.
    fn withdraw(&mut self) {
        self.peer.closed_over = self.nxt;
        self.go_back();
        self.timer = None;
        self.timeouts = 0;
        self.recovery.rest();
    }

    /// The window opens again. What was in flight may be so still, unless nothing of it was
    /// acknowledged for as long as a retransmission timeout: then it goes again from the oldest on
    /// (as in BSD).
    fn resume(&mut self, now: Time) {
        if !self.persist.has_run_out() {
            self.nxt = self.nxt.max(self.peer.closed_over);
            self.restart_timer(now);
        }
    }

    /// RFC 6675 §2 where the scoreboard rules: it selects something new. Else RFC 5681 §2: it says
    /// nothing that had not been said.
    fn is_duplicate(&self, arrival: &Acknowledgement, same_window: bool, selected: &News) -> bool {
        match self.recovery {
            Recovery::Selective(_) | Recovery::Rack(_) => selected.delivered > 0,
            Recovery::Tahoe(_)
            | Recovery::Reno(_)
            | Recovery::NewReno(_)
            | Recovery::Sack1(_)
            | Recovery::FackRestarts(_)
            | Recovery::Vegas(_) => arrival.pure && same_window,
        }
    }

    /// The window of the newest segment counts (RFC 9293 §3.10.7.4: by its number, then by its
    /// acknowledgement). An acknowledgement of something new is newer than all before it, even on
    /// a segment that was sent again and whose number is old.
    fn update_peer_window(&mut self, arrival: &Acknowledgement) {
        let newer = self.peer.source.is_none_or(|(seq, ack)| {
            ack.before(arrival.ack)
                || seq.before(arrival.seq)
                || (seq == arrival.seq && ack == arrival.ack)
        });
        if newer {
            self.peer.source = Some((arrival.seq, arrival.ack));
            self.peer.size = arrival.window;
            self.peer.largest = self.peer.largest.max(arrival.window);
        }
    }

    fn new_ack<O: Observe>(
        &mut self,
        now: Time,
        una: u64,
        selected: News,
        echo: Option<u32>,
        observe: &mut O,
    ) {
        let data_end = una.min(self.buffer.end());
        let acked = data_end - self.una.min(data_end);
        self.una = una;
        self.nxt = self.nxt.max(una);
        self.buffer.drop_below(una);
        self.timeouts = 0;
        self.resend = false;
        let beyond = selected.delivered;
        let mut news = self.take_acknowledged(now, selected, echo, observe);
        if let Recovery::Vegas(vegas) = &mut self.recovery
            && acked > 0
        {
            let mss = u64::from(self.mss);
            news.rtt = vegas.take_round_trip(now, [data_end - acked, data_end], mss, news.rtt);
        }
        if acked > 0 {
            observe.tcp(now, self.id, TcpFact::Acked { offset: data_end });
        }
        let age = self.recovery.age(now, acked, &self.board);
        match age {
            Some(age) => self.time_by_age(now, age),
            None => self.sample_rto(now, &news, echo),
        }
        // The byte of a probe that was taken in is no progress of what was in flight.
        if self.una <= self.peer.closed_over {
            self.persist.restart(now, &self.rto);
        }
        self.judge_new_ack(now, &Evidence { echo, once: news.once, rtt: news.rtt });
        if self.recovery.deflates() {
            self.controller.deflate();
        }
        let lost = self.board.lost_segments();
        let standing = Standing { acked, selected: beyond, ..self.standing(now, &news) };
        let verdict = self.recovery.on_new_ack(&standing, &mut self.board);
        if verdict != Verdict::RepairImpatiently && age.is_none() {
            self.restart_timer(now);
        }
        self.follow(verdict, now, observe);
        if acked > 0 {
            self.tell_controller(now, acked, &news, observe);
        }
        let good = self.board.lost_segments() <= lost;
        self.reduce(news.delivered, if good { Progress::Good } else { Progress::Doubtful });
        self.arm_probe(now);
        self.update_window(now, observe);
    }

    fn duplicate_ack<O: Observe>(&mut self, now: Time, selected: News, observe: &mut O) {
        self.judge_duplicate_ack(now, &Evidence { echo: None, once: selected.once, rtt: None });
        // Not what tells nothing: it would hold the timer up for ever.
        let age = self.recovery.age(now, 0, &self.board).filter(|_| selected.delivered > 0);
        if let Some(age) = age {
            self.time_by_age(now, age);
        }
        let standing = Standing { selected: selected.delivered, ..self.standing(now, &selected) };
        let verdict = self.recovery.on_duplicate_ack(&standing, &mut self.board);
        self.follow(verdict, now, observe);
        self.recovery.hand_inflation_to(&mut *self.controller);
        let opens = self.recovery.opens_with_duplicates();
        if opens || selected.delivered > 0 {
            let acked = if opens { standing.mss } else { 0 };
            self.tell_controller(now, acked, &selected, observe);
        }
        self.reduce(selected.delivered, Progress::Doubtful);
        self.arm_probe(now);
        self.update_window(now, observe);
    }

    /// ns-2's Fack: the timer starts with the timeout as it was before the acknowledgement, and
    /// only what was sent once ends a back-off.
    fn time_by_age(&mut self, now: Time, age: Duration) {
        self.restart_timer(now);
        if self.timed.take_if(|end| *end <= self.una).is_some() {
            self.rto.end_back_off();
        }
        self.rto.measure(now, age);
    }

    fn standing(&self, now: Time, news: &News) -> Standing {
        Standing {
            now,
            acked: 0,
            selected: 0,
            una: self.una,
            nxt: self.nxt,
            max: self.max,
            mss: u64::from(self.mss),
            rtt: news.rtt,
        }
    }

    fn tell_controller<O: Observe>(&mut self, now: Time, acked: u64, news: &News, observe: &mut O) {
        self.tell_losses(now);
        let before = if O::ON { self.controller.base_rtt() } else { None };
        self.controller.on_ack(&Ack {
            now,
            acked,
            delivered: news.delivered,
            una: self.una,
            nxt: self.nxt,
            pipe: self.pipe(),
            rtt: news.rtt,
            recovering: self.recovery.holds_window(),
            window_limited: self.window_limited,
            rate: self.delivery.as_mut().and_then(|delivery| delivery.take_sample()),
        });
        if O::ON
            && let Some(rtt) = self.controller.base_rtt().filter(|&rtt| before != Some(rtt))
        {
            observe.tcp(now, self.id, TcpFact::BaseRtt { rtt });
        }
    }

    pub(crate) fn follow<O: Observe>(&mut self, verdict: Verdict, now: Time, observe: &mut O) {
        match verdict {
            Verdict::Wait => return,
            Verdict::Retransmit(kind) => {
                self.doubt_loss(Cause::Acknowledgements);
                self.lose(now, kind);
                self.begin_reduction();
                self.timed = None;
                self.resend = true;
                if self.recovery.backs_off() {
                    self.rto.back_off();
                }
                self.restart_timer(now);
            }
            Verdict::GoBack(kind) => {
                self.doubt_loss(Cause::Acknowledgements);
                self.lose(now, kind);
                self.go_back();
                self.timer = None;
            }
            Verdict::Repair | Verdict::RepairImpatiently => self.resend = true,
        }
        let offset = self.first_to_repair();
        observe.tcp(now, self.id, TcpFact::FastRetransmit { offset });
    }

    /// Takes in what was selected beyond `una`.
    fn take_selections<O: Observe>(
        &mut self,
        now: Time,
        una: u64,
        arrival: &Acknowledgement,
        observe: &mut O,
    ) -> News {
        let mut news = News::default();
        let (delivery, recovery) = (&mut self.delivery, &mut self.recovery);
        for &block in arrival.sack.as_slice() {
            if let Some([from, to]) = block_offsets(self.first, una, self.max, block) {
                let (id, end) = (self.id, self.buffer.end());
                self.board.select(from, to, |segment| {
                    news.take(segment, now, delivery.as_deref_mut());
                    recovery.on_arrival(now, segment, arrival.echo);
                    report_round_trip(segment, now, id, end, observe);
                });
            }
        }
        news
    }

    /// Takes what is acknowledged off the scoreboard.
    fn take_acknowledged<O: Observe>(
        &mut self,
        now: Time,
        selected: News,
        echo: Option<u32>,
        observe: &mut O,
    ) -> News {
        let mut news = selected;
        let before = self.board.oldest().map_or(self.una, |oldest| oldest.offset);
        let mut rest = before;
        while let Some(segment) = self.board.pop_below(self.una) {
            rest = segment.end();
            if segment.fate != Fate::Selected {
                news.take(&segment, now, self.delivery.as_deref_mut());
                self.recovery.on_arrival(now, &segment, echo);
                if !news.resent {
                    report_round_trip(&segment, now, self.id, self.buffer.end(), observe);
                }
            }
        }
        if news.resent {
            // What waited for a segment to be sent again tells how long that took.
            news.rtt = None;
        }
        news.delivered += self.una.saturating_sub(rest);
        self.board.unselect_below(self.una);
        if let Some(delivery) = &mut self.delivery {
            delivery.forget_below(self.una);
        }
        news
    }

    fn sample_rto(&mut self, now: Time, news: &News, echo: Option<u32>) {
        if let Some(rtt) = news.rtt {
            self.pacer.sample(rtt);
        }
        let sample = match self.policy.rtt_sampling {
            // RFC 7323 §4.1: an echo tells of the segment sent again itself.
            RttSampling::EverySegment => {
                news.rtt.or_else(|| echo.and_then(|echo| timestamps::since(now, echo)))
            }
            RttSampling::OnePerWindow => {
                self.timed.take_if(|end| *end <= self.una).map(|_| now - self.timed_from)
            }
        };
        if let Some(rtt) = sample {
            self.rto.sample(now, rtt);
        }
    }
}

/// What an acknowledgement tells of segments that were not known to have arrived.
#[derive(Clone, Copy, Debug, Default)]
struct News {
    /// Their bytes.
    delivered: u64,
    /// The round-trip time of the newest, if it was sent once and did not wait for one sent again.
    rtt: Option<Duration>,
    /// The lowest offset of those sent once.
    once: Option<u64>,
    /// True if one of them had been sent again.
    resent: bool,
}

impl News {
    fn take(&mut self, segment: &Sent, now: Time, delivery: Option<&mut Delivery>) {
        self.delivered += u64::from(segment.length);
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

/// Karn's algorithm: a segment sent again tells no round-trip time.
fn round_trip(segment: &Sent, now: Time) -> Option<Duration> {
    (segment.transmissions == 1).then(|| now - segment.first_at)
}

/// Tells observers of the round-trip time of `segment`, if it carried data (which end at `end`).
fn report_round_trip<O: Observe>(segment: &Sent, now: Time, id: u32, end: u64, observe: &mut O) {
    if O::ON
        && segment.offset < end
        && let Some(rtt) = round_trip(segment, now)
    {
        observe.tcp(now, id, TcpFact::Rtt(RttSample { offset: segment.offset, rtt }));
    }
}
